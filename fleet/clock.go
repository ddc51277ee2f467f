package fleet

import (
	"context"
	"math/rand/v2"
	"time"
)

// A clock knows the time of the store that has a partition: nodes of a cluster, and servers
// that take over, have their own.
type clock struct {
	origin time.Time // here, when it was 1970 there; zero: not known
}

// set takes in that the store had that time at some moment between two.
func (c *clock) set(now int64, sent, received time.Time) {
	middle := sent.Add(received.Sub(sent) / 2)
	c.origin = middle.Add(-time.Duration(now) * time.Millisecond)
}

func (c *clock) known() bool { return !c.origin.IsZero() }

// there is a time of this process by the store's clock, 0 for the zero time.
func (c *clock) there(t time.Time) int64 {
	if t.IsZero() || !c.known() {
		return 0
	}
	return min(max(t.Sub(c.origin).Milliseconds(), 0), mostTime)
}

// here is a time of the store by this process's clock, zero for 0.
func (c *clock) here(t int64) time.Time {
	if t == 0 || !c.known() {
		return time.Time{}
	}
	return c.origin.Add(time.Duration(t) * time.Millisecond)
}

// jittered is d, up to a tenth more or less, so that members do not march in step.
func jittered(d time.Duration) time.Duration {
	return time.Duration(float64(d) * (0.9 + 0.2*rand.Float64()))
}

// pause returns after d, or false once ctx has ended.
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
