package services

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/internal/test/sim"
	"github.com/headway-go/headway/ratelimittest"
)

// inMillis is the dialect of Blockscout and others: the reset is a delay in milliseconds.
func inMillis(h http.Header, _ time.Time, d ratelimittest.Decision) {
	for _, l := range d.Limits {
		h.Set("X-RateLimit-Limit", strconv.FormatInt(l.Quota, 10))
		h.Set("X-RateLimit-Remaining", strconv.FormatInt(l.Remaining, 10))
		h.Set("X-RateLimit-Reset", strconv.FormatInt(l.Reset.Milliseconds(), 10))
	}
}

// TestResetInMilliseconds checks that a client finds out that a reset counts milliseconds: 1800 requests at
// 600 per minute take three minutes, and not a day.
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
			limiter := &ratelimittest.FixedWindow{Policy: ratelimittest.Per(600, time.Minute)}
			limiter.Aligned = c.aligned
			f := ratelimittest.Run(t, ratelimittest.Scenario{
				Limiter: limiter, Dialect: inMillis, Latency: c.latency,
				NewClient: func(base http.RoundTripper) *http.Client {
					return &http.Client{Transport: kit.Seeded(t, &headway.Transport{Base: base})}
				},
				Load: ratelimittest.Batch{Requests: 1800, Workers: c.workers},
			})
			require.Equal(t, 1800, f.Served)
			require.Less(t, f.Took, 4*time.Minute, "%v", f)
			require.Less(t, f.Refused, 36, "%v", f)
		})
	}
}

// TestResetInSeconds checks that a reset of more than an hour that counts seconds is believed after two
// responses: a quota of 100 per two hours is kept.
func TestResetInSeconds(t *testing.T) {
	f := ratelimittest.Run(t, ratelimittest.Scenario{
		Limiter: &ratelimittest.FixedWindow{Policy: ratelimittest.Per(100, 2*time.Hour)}, Dialect: sim.XRateLimitDelta, Latency: 50 * time.Millisecond,
		NewClient: func(base http.RoundTripper) *http.Client {
			return &http.Client{Transport: kit.Seeded(t, &headway.Transport{Base: base, MaxWait: -1})}
		},
		Load: ratelimittest.Batch{Requests: 150, Workers: 1},
	})
	require.Equal(t, 150, f.Served)
	require.Less(t, f.Refused, 4, "%v", f)
	require.Less(t, f.Took, 4*time.Hour, "%v", f)
}

// TestResetsOfManyUsers checks that the windows of several users in seconds are not taken for one in milliseconds: then
// each user would be sent to its limit within seconds, again and again.
func TestResetsOfManyUsers(t *testing.T) {
	const users, quota = 10, 100
	for _, gap := range []time.Duration{200 * time.Millisecond, time.Second, 10 * time.Second} {
		t.Run(gap.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				left, ends := make(map[string]int), make(map[string]time.Time)
				server := &kit.Server{Answer: func(_ int, req *http.Request) *http.Response {
					user, now := req.URL.Path, time.Now()
					if !now.Before(ends[user]) {
						left[user], ends[user] = quota, now.Add(time.Hour)
					}
					status := http.StatusOK
					if left[user]--; left[user] < 0 {
						left[user], status = 0, http.StatusTooManyRequests
					}
					return kit.Reply(status, kit.Fields(
						"X-RateLimit-Limit", strconv.Itoa(quota), "X-RateLimit-Remaining", strconv.Itoa(left[user]),
						"X-RateLimit-Reset", strconv.Itoa(int(ends[user].Sub(now).Seconds())),
					))
				}}
				begun, refused, short := time.Now(), 0, 0
				transport := kit.Seeded(t, &headway.Transport{
					Base: server, MaxWait: time.Second, MaxRetries: -1,
					Partition: func(req *http.Request) string { return req.URL.Path },
					Trace: &headway.Trace{Reading: func(_ context.Context, info headway.ReadingInfo) {
						if info.Status == http.StatusTooManyRequests {
							refused++
						}
						if d := info.Reading.Limits[0].Reset; d < 10*time.Second {
							short++
						}
					}},
				})
				for i := 0; time.Since(begun) < 50*time.Minute; i++ {
					user := i % min(users, 1+i/20) // they come one by one
					if resp, err := kit.Get(t.Context(), transport, fmt.Sprintf("%s/%d", kit.Origin, user)); err == nil {
						require.NoError(t, resp.Body.Close())
					}
					time.Sleep(gap)
				}
				require.Zero(t, short)
				require.Zero(t, refused)
			})
		})
	}
}

// TestOddWindows checks that an instant in the place of a window does not stop a client: 400 requests at
// 100 per minute take four minutes.
func TestOddWindows(t *testing.T) {
	for _, window := range []string{"", "60", "1772625600", "1772625600000", "60s", "minute"} {
		if kit.Raced && window != "60" {
			continue // the race detector does not need the figures
		}
		for _, scale := range []time.Duration{time.Second, time.Millisecond} { // of the reset
			t.Run(fmt.Sprint(window, " ", scale), func(t *testing.T) {
				f := ratelimittest.Run(t, ratelimittest.Scenario{
					Limiter: &ratelimittest.FixedWindow{Policy: ratelimittest.Per(100, time.Minute)}, Latency: 50 * time.Millisecond,
					Dialect: func(h http.Header, _ time.Time, d ratelimittest.Decision) {
						for _, l := range d.Limits {
							h.Set("X-RateLimit-Limit", strconv.FormatInt(l.Quota, 10))
							h.Set("X-RateLimit-Remaining", strconv.FormatInt(l.Remaining, 10))
							h.Set("X-RateLimit-Reset", strconv.FormatInt(int64((l.Reset+scale-1)/scale), 10))
							if window != "" {
								h.Set("X-RateLimit-Window", window)
							}
						}
					},
					NewClient: func(base http.RoundTripper) *http.Client {
						return &http.Client{Transport: kit.Seeded(t, &headway.Transport{Base: base})}
					},
					Load: ratelimittest.Batch{Requests: 400, Workers: 4},
				})
				require.Equal(t, 400, f.Served)
				require.Less(t, f.Took, 5*time.Minute, "%v", f)
				require.LessOrEqual(t, f.Refused, 2, "%v", f)
			})
		}
	}
}
