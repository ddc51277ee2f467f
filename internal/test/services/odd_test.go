package services

import (
	"fmt"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/internal/test/sim"
	"github.com/headway-go/headway/ratelimittest"
)

// odd is X-RateLimit-* with a reset that is a delay in any unit, and a window.
func odd(scale time.Duration, window string) ratelimittest.Dialect {
	return func(h http.Header, _ time.Time, d ratelimittest.Decision) {
		for _, l := range d.Limits {
			h.Set("X-RateLimit-Limit", strconv.FormatInt(l.Quota, 10))
			h.Set("X-RateLimit-Remaining", strconv.FormatInt(l.Remaining, 10))
			h.Set("X-RateLimit-Reset", strconv.FormatInt(int64((l.Reset+scale-1)/scale), 10))
			if window != "" {
				h.Set("X-RateLimit-Window", window)
			}
		}
	}
}

// A reset in milliseconds, as Blockscout and others send it, stops no client. The numbers above an hour are doubted, and the
// window is measured: 1800 requests at 600 per minute take three minutes, or five where each response takes a second.
func TestResetInMilliseconds(t *testing.T) {
	for _, c := range []struct {
		workers int
		latency time.Duration
		aligned bool
	}{
		{1, 20 * time.Millisecond, false},
		{4, 0, false},
		{8, 100 * time.Millisecond, false},
		{8, 100 * time.Millisecond, true},
		{64, time.Second, true},
	} {
		if kit.Raced && !c.aligned {
			continue // the race detector does not need the figures
		}
		t.Run(fmt.Sprintf("workers=%d/latency=%v/aligned=%v", c.workers, c.latency, c.aligned), func(t *testing.T) {
			f := run(t, &headway.Transport{}, ratelimittest.Scenario{
				Limiter: &ratelimittest.FixedWindow{Policy: ratelimittest.Per(600, time.Minute), Aligned: c.aligned},
				Dialect: odd(time.Millisecond, ""), Latency: c.latency,
				Load: ratelimittest.Batch{Requests: 1800, Workers: c.workers},
			})
			require.Equal(t, 1800, f.Served)
			require.Less(t, f.Took, 4*time.Minute+80*c.latency, "%v", f)
			require.Less(t, f.Refused, 36, "%v", f)
		})
	}
}

// A reset in seconds of more than an hour is doubted, too: a quota of 100 per two hours is used at once, and the client finds
// out when there is more.
func TestResetInSeconds(t *testing.T) {
	f := run(t, &headway.Transport{MaxWait: -1}, ratelimittest.Scenario{
		Limiter: &ratelimittest.FixedWindow{Policy: ratelimittest.Per(100, 2*time.Hour)}, Dialect: sim.XRateLimitDelta,
		Load: ratelimittest.Batch{Requests: 150, Workers: 1}, Latency: 50 * time.Millisecond,
	})
	require.Equal(t, 150, f.Served)
	require.Less(t, f.Refused, 4, "%v", f)
	require.Less(t, f.Took, 4*time.Hour, "%v", f)
}

// A window in milliseconds, or an instant in its place, does not stop a client: 400 requests at 100 per minute take four minutes.
func TestOddWindows(t *testing.T) {
	for _, window := range []string{"", "60", "60000", "1772625600", "1772625600000", "60s", "minute"} {
		if kit.Raced && window != "60" {
			continue // the race detector does not need the figures
		}
		for _, scale := range []time.Duration{time.Second, time.Millisecond} { // of the reset
			t.Run(fmt.Sprint(window, " ", scale), func(t *testing.T) {
				f := run(t, &headway.Transport{}, ratelimittest.Scenario{
					Limiter: &ratelimittest.FixedWindow{Policy: ratelimittest.Per(100, time.Minute)}, Dialect: odd(scale, window),
					Load: ratelimittest.Batch{Requests: 400, Workers: 4}, Latency: 50 * time.Millisecond,
				})
				require.Equal(t, 400, f.Served)
				require.Less(t, f.Took, 5*time.Minute, "%v", f)
				require.LessOrEqual(t, f.Refused, 2, "%v", f)
			})
		}
	}
}
