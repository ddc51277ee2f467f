package fleet

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/headway-go/headway/fleet/internal/store"
)

// A clock converts times between this process and the store. There is one for each partition, as the nodes of
// a cluster, and servers after a failover, have different clocks.
type clock struct {
	origin time.Time // this process's time of the store's zero; zero: unknown
}

// set sets the clock: the store's time was now at some moment between sent and received.
func (c *clock) set(now int64, sent, received time.Time) {
	middle := sent.Add(received.Sub(sent) / 2)
	c.origin = middle.Add(-time.Duration(now) * time.Millisecond)
}

func (c *clock) known() bool { return !c.origin.IsZero() }

// toStore returns a time of this process by the store's clock.
func (c *clock) toStore(t time.Time) int64 {
	if !c.known() {
		return 0
	}
	return min(max(t.Sub(c.origin).Milliseconds(), 0), store.MostTime)
}

// after returns the store's time after d, and 0 if d is 0.
func (c *clock) after(now time.Time, d time.Duration) int64 {
	if d == 0 {
		return 0
	}
	return c.toStore(now.Add(d))
}

// until returns how long it is from now to a time of the store.
func (c *clock) until(t int64, now time.Time) time.Duration {
	return c.origin.Add(time.Duration(t) * time.Millisecond).Sub(now)
}

// jittered returns d, up to 10 % longer or shorter, so that members do not renew in step.
func jittered(d time.Duration) time.Duration {
	return time.Duration(float64(d) * (0.9 + 0.2*rand.Float64()))
}

// pause returns true after d, or false as soon as ctx ends.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(max(d, 0))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
