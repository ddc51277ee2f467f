package ratelimittest_test

import (
	"testing"

	"github.com/headway-go/headway/ratelimittest"
)

func TestXRateLimitDialects(t *testing.T) {
	const limit, remaining = "X-RateLimit-Limit: 100", "X-RateLimit-Remaining: 50"
	five := []string{"X-RateLimit-Limit: 5", "X-RateLimit-Remaining: 5"}
	runGoldens(t, []golden{
		// 0.9 s + 29.001 s after 1893456000, the beginning of 2030
		{"epoch", ratelimittest.XRateLimit, one, []string{limit, remaining, "X-RateLimit-Reset: 1893456030"}},
		{"delay", delta, one, []string{limit, remaining, "X-RateLimit-Reset: 30"}},
		{"counts", counts, one, []string{limit, remaining}},
		{"milliseconds", millis, one, []string{limit, remaining, "X-RateLimit-Reset: 1893456029901"}},
		{"RFC 3339", rfc3339, one, []string{limit, remaining, "X-RateLimit-Reset: 2030-01-01T00:00:30Z"}},

		// 0.9 s + 2.5 s
		{"epoch, refused", ratelimittest.XRateLimit, refusal, []string{limit, "X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 1893456004"}},
		{"delay, refused", delta, refusal, []string{limit, "X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 3"}},
		{"milliseconds, refused", millis, refusal, []string{limit, "X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 1893456003400"}},
		{"RFC 3339, refused", rfc3339, refusal, []string{limit, "X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 2030-01-01T00:00:04Z"}},

		{"the tightest limit", delta, three, []string{"X-RateLimit-Limit: 1000", "X-RateLimit-Remaining: 9", "X-RateLimit-Reset: 1000"}},
		{"epoch, no reset", ratelimittest.XRateLimit, bareLimit, five},
		{"delay, no reset", delta, bareLimit, five},
		{"milliseconds, no reset", millis, bareLimit, five},
		{"RFC 3339, no reset", rfc3339, bareLimit, five},
		{"292 years from now", delta, huge, []string{
			"X-RateLimit-Limit: 9223372036854775807", "X-RateLimit-Remaining: 1152921504606846976", "X-RateLimit-Reset: 9223372037",
		}},
	})
}

// A sixth of 100 ms is 16.666667 ms, rounded up to 17 ms.
func TestXRateLimitMillisRoundsUp(t *testing.T) {
	d := one
	d.Limits = append(d.Limits[:0:0], d.Limits...)
	d.Limits[0].Reset = 100 * ms / 6
	runGoldens(t, []golden{{"100/6 ms", millis, d, []string{
		"X-RateLimit-Limit: 100", "X-RateLimit-Remaining: 50", "X-RateLimit-Reset: 1893456000917",
	}}})
}
