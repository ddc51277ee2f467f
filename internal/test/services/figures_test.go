package services

import (
	"fmt"
	"io"
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
	"github.com/headway-go/headway/validate"
)

// documented returns a profile of a host that never reports its limit of 60 per minute.
func documented() []validate.Profile {
	return []validate.Profile{{Host: "api.example.com", Limits: []validate.Limit{{Quota: 60, Window: time.Minute}}}}
}

// A host that never reports its limit refuses hardly any request, if a profile says what is documented.
func TestDocumentedLimitOfASilentHost(t *testing.T) {
	policy := ratelimittest.Per(60, time.Minute)
	for name, limiter := range map[string]ratelimittest.Limiter{
		"fixed window": &ratelimittest.FixedWindow{Policy: policy},
		"token bucket": &ratelimittest.TokenBucket{Policy: policy},
	} {
		t.Run(name, func(t *testing.T) {
			scenario := ratelimittest.Scenario{
				Limiter: limiter, Dialect: ratelimittest.Silent, RetryAfter: ratelimittest.Silent,
				Request: kit.NewRequest(t, kit.URL), Latency: 50 * time.Millisecond,
				Load: ratelimittest.Batch{Requests: 150, Workers: 8},
			}
			known, unknown := run(t, &headway.Transport{Profiles: documented()}, scenario), run(t, &headway.Transport{}, scenario)
			t.Logf("with the profile:\n%v\nwithout:\n%v", known, unknown)
			require.Equal(t, 150, known.Served)
			require.LessOrEqual(t, known.Refused, 3)
			require.Greater(t, unknown.Refused, 10)
			require.InDelta(t, 150, known.Took.Seconds(), 10)
		})
	}
}

// The first response shows that the host has a profile.
func TestDocumentedLimitIsKnownFromTheFirstResponse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := kit.Seeded(t, &headway.Transport{Base: kit.InTurn(kit.Status(http.StatusOK)), Profiles: documented()})
		require.Empty(t, transport.State())
		kit.Prime(t, transport)
		known := transport.State()[0].Limits
		require.Len(t, known, 1)
		require.EqualValues(t, 60, known[0].Quota)
		require.EqualValues(t, validate.Unknown, known[0].Remaining)
		require.Equal(t, time.Minute, known[0].Window)
	})
}

// A server that tells only what is used of a documented quota, in a unit of its own, refuses hardly any request.
func TestWeightsByAProfile(t *testing.T) {
	figures := map[string]ratelimittest.Figures{}
	for _, host := range []string{"api.binance.com", "api.example.com"} {
		figures[host] = run(t, &headway.Transport{}, ratelimittest.Scenario{
			Limiter: &ratelimittest.FixedWindow{Policy: ratelimittest.Policy{Quota: 6000, Window: time.Minute}, Aligned: true},
			Cost:    func(*http.Request) int64 { return 20 },
			Dialect: func(h http.Header, _ time.Time, d ratelimittest.Decision) {
				h.Set("X-MBX-USED-WEIGHT-1M", strconv.FormatInt(d.Limits[0].Quota-d.Limits[0].Remaining, 10))
			},
			Request: kit.NewRequest(t, "https://"+host+"/api/v3/ticker"), Latency: 50 * time.Millisecond,
			Load: ratelimittest.Batch{Requests: 1500, Workers: 16},
		})
	}
	known, unknown := figures["api.binance.com"], figures["api.example.com"]
	t.Logf("with the profile:\n%v\nwithout:\n%v", known, unknown)
	require.Equal(t, 1500, known.Served)
	require.LessOrEqual(t, known.Refused, 2)
	require.Greater(t, unknown.Refused, known.Refused)
}

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

// A batch is not refused where the limits come in announced trailers alone, and is as fast and as even as with a header.
func TestBatch(t *testing.T) {
	for _, test := range []struct {
		name    string
		dialect ratelimittest.Dialect
	}{
		{"draft 10", ratelimittest.Draft10},
		{"X-RateLimit with a delay", sim.XRateLimitDelta},
	} {
		t.Run(test.name, func(t *testing.T) {
			scenario := ratelimittest.Scenario{
				Limiter: &ratelimittest.FixedWindow{Policy: ratelimittest.Per(60, time.Minute)},
				Dialect: test.dialect,
				Latency: 100 * time.Millisecond,
				Next:    http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "text") }),
				Load:    ratelimittest.Batch{Requests: 600, Workers: 8},
			}
			header := run(t, &headway.Transport{}, scenario)
			scenario.Dialect = test.dialect.InTrailer()
			trailer := run(t, &headway.Transport{}, scenario)
			t.Logf("header:\n%v\ntrailer:\n%v", header, trailer)
			require.Equal(t, 600, trailer.Served)
			require.LessOrEqual(t, trailer.Refused, header.Refused+1)
			require.LessOrEqual(t, trailer.Took, header.Took*105/100)
			require.Less(t, trailer.GapCV, 2*header.GapCV)
		})
	}
}
