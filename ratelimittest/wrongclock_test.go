package ratelimittest_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
	"github.com/headway-go/headway/validate"
)

func TestWrongClocks(t *testing.T) {
	const limit, remaining = "X-RateLimit-Limit: 100", "X-RateLimit-Remaining: 50"
	runGoldens(t, []golden{
		{"fast", ratelimittest.Skewed(ratelimittest.XRateLimit, 20*time.Second), one, []string{
			"Date: Tue, 01 Jan 2030 00:00:20 GMT", limit, remaining, "X-RateLimit-Reset: 1893456050",
		}},
		{"slow", ratelimittest.Skewed(ratelimittest.XRateLimit, -time.Hour), one, []string{
			"Date: Mon, 31 Dec 2029 23:00:00 GMT", limit, remaining, "X-RateLimit-Reset: 1893452430",
		}},
		{"fast with a delay", ratelimittest.Skewed(ratelimittest.XRateLimitDelta, 20*time.Second), one, []string{
			"Date: Tue, 01 Jan 2030 00:00:20 GMT", limit, remaining, "X-RateLimit-Reset: 30",
		}},
		{"fast, Retry-After", ratelimittest.Skewed(ratelimittest.RetryAfterDate, 20*time.Second), refusal, []string{
			"Date: Tue, 01 Jan 2030 00:00:20 GMT", "Retry-After: Tue, 01 Jan 2030 00:00:24 GMT",
		}},
		{"skewed twice", ratelimittest.Skewed(ratelimittest.Skewed(ratelimittest.XRateLimit, time.Hour), -time.Hour), one, []string{
			"Date: Tue, 01 Jan 2030 00:00:00 GMT", limit, remaining, "X-RateLimit-Reset: 1893456030",
		}},
		{"reset in the past", ratelimittest.Unsynchronised(ratelimittest.XRateLimit, -time.Hour), one, []string{
			limit, remaining, "X-RateLimit-Reset: 1893452430",
		}},
		{"reset in the past, but a delay", ratelimittest.Unsynchronised(ratelimittest.XRateLimitDelta, -time.Hour), one, []string{
			limit, remaining, "X-RateLimit-Reset: 30",
		}},
		{"floored epoch", ratelimittest.FlooredTimes(ratelimittest.XRateLimit), one, []string{
			limit, remaining, "X-RateLimit-Reset: 1893456029",
		}},
		{"floored epoch in milliseconds", ratelimittest.FlooredTimes(ratelimittest.XRateLimitMillis), one, []string{
			limit, remaining, "X-RateLimit-Reset: 1893456029000",
		}},
		{"floored epoch of a clock that is half a second fast", ratelimittest.Skewed(ratelimittest.FlooredTimes(ratelimittest.XRateLimit), 500*ms), one, []string{
			"Date: Tue, 01 Jan 2030 00:00:01 GMT", limit, remaining, "X-RateLimit-Reset: 1893456030",
		}},
		{"delay between floored times, too short", ratelimittest.FlooredTimes(ratelimittest.XRateLimitDelta), one, []string{
			limit, remaining, "X-RateLimit-Reset: 29",
		}},
		{"delay between floored times, too long", ratelimittest.FlooredTimes(ratelimittest.RetryAfterSeconds), refusal, []string{
			"Retry-After: 3",
		}},
		{"floored date", ratelimittest.FlooredTimes(ratelimittest.RetryAfterDate), refusal, []string{
			"Retry-After: Tue, 01 Jan 2030 00:00:03 GMT",
		}},
		{"floored delays", ratelimittest.FlooredDelays(ratelimittest.XRateLimitDelta), one, []string{
			limit, remaining, "X-RateLimit-Reset: 29",
		}},
		{"floored delay, refused", ratelimittest.FlooredDelays(ratelimittest.RetryAfterSeconds), refusal, []string{"Retry-After: 2"}},
		{"floored delay, less than a second", ratelimittest.FlooredDelays(ratelimittest.RetryAfterSeconds), ratelimittest.Decision{RetryAfter: 999 * ms}, nil},
		{"floored, no reset", ratelimittest.FlooredDelays(ratelimittest.XRateLimit), bareLimit, []string{"X-RateLimit-Limit: 5", "X-RateLimit-Remaining: 5"}},
	})
	require.Equal(t, 29001*ms, one.Limits[0].Reset, "the limiter's own numbers")
}

// A client corrects a skewed clock by the response's Date, and cannot correct a clock that differs from Date.
func TestWrongClocksAsRead(t *testing.T) {
	tests := []struct {
		name    string
		dialect ratelimittest.Dialect
		want    time.Duration
	}{
		{"right", ratelimittest.XRateLimit, 30 * time.Second},
		{"fast", ratelimittest.Skewed(ratelimittest.XRateLimit, 20*time.Second), 30 * time.Second},
		{"slow", ratelimittest.Skewed(ratelimittest.XRateLimit, -20*time.Second), 30 * time.Second},
		{"unsynchronised, fast", ratelimittest.Unsynchronised(ratelimittest.XRateLimit, 20*time.Second), 50 * time.Second},
		{"unsynchronised, slow", ratelimittest.Unsynchronised(ratelimittest.XRateLimit, -20*time.Second), 10 * time.Second},
		{"unsynchronised, in the past", ratelimittest.Unsynchronised(ratelimittest.XRateLimit, -time.Hour), 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := written(tt.dialect, one)
			if h.Get("Date") == "" {
				h.Set("Date", decided.Format(http.TimeFormat))
			}
			reading := validate.Response(&http.Response{StatusCode: http.StatusOK, Header: h}, decided, validate.Bounds{})
			require.Equal(t, tt.want, reading.Limits[0].Reset)
		})
	}
}

// Floored times make clients up to a second early; TestDialectsNeverReportATimeTooEarly shows that others
// never do.
func TestFlooredTimesAreTooEarly(t *testing.T) {
	for name, d := range map[string]ratelimittest.Dialect{
		"FlooredTimes":  ratelimittest.FlooredTimes(ratelimittest.XRateLimit),
		"FlooredDelays": ratelimittest.FlooredDelays(ratelimittest.XRateLimitDelta),
	} {
		early := 0
		for reset := time.Second; reset < 2*time.Second; reset += 10 * ms {
			isEarly, _ := margin(d, start, reset, 0, true)
			if isEarly {
				early++
			}
		}
		require.Equal(t, 97, early, "%s: all but those within the 20 ms on the network", name)
	}
}
