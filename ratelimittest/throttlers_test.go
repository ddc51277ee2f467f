package ratelimittest_test

import (
	"testing"
	"time"

	"github.com/headway-go/headway/ratelimittest"
)

func TestThrottlers(t *testing.T) {
	refused := func(wait time.Duration, limits ...ratelimittest.Limit) ratelimittest.Decision {
		return ratelimittest.Decision{RetryAfter: wait, Limits: limits}
	}
	short := ratelimittest.Limit{Policy: "short", Quota: 3, Window: time.Second, Reset: 300 * ms}
	long := ratelimittest.Limit{Policy: "long", Quota: 100, Window: time.Minute, Remaining: 7, Reset: 42 * time.Second}
	used := long
	used.Remaining = 0
	runGoldens(t, []golden{
		{"several", ratelimittest.Throttlers, three, []string{
			"X-RateLimit-Limit-Hour: 1000", "X-RateLimit-Remaining-Hour: 9", "X-RateLimit-Reset-Hour: 1000",
			"X-RateLimit-Limit-Minute: 100", "X-RateLimit-Remaining-Minute: 9", "X-RateLimit-Reset-Minute: 30",
			"X-RateLimit-Limit-Day: 5000", "X-RateLimit-Remaining-Day: 10", "X-RateLimit-Reset-Day: 72000",
		}},
		{"refused by one", ratelimittest.Throttlers, refused(300*ms, short, long), []string{
			"Retry-After-Short: 1",
			"X-RateLimit-Limit-Long: 100", "X-RateLimit-Remaining-Long: 7", "X-RateLimit-Reset-Long: 42",
		}},
		{"refused by both", ratelimittest.Throttlers, refused(42*time.Second, short, used), []string{
			"Retry-After-Short: 1", "Retry-After-Long: 42",
		}},
		{"a reset that is later than the next unit", ratelimittest.Throttlers, refused(2*time.Second, used), []string{"Retry-After-Long: 2"}},
		{"served with nothing left", ratelimittest.Throttlers, ratelimittest.Decision{Allowed: true, Limits: []ratelimittest.Limit{short}}, []string{
			"X-RateLimit-Limit-Short: 3", "X-RateLimit-Remaining-Short: 0", "X-RateLimit-Reset-Short: 1",
		}},
		{"no name", ratelimittest.Throttlers, refused(0, ratelimittest.Limit{Quota: 3, Remaining: 2, Reset: -1}), []string{
			"X-RateLimit-Limit: 3", "X-RateLimit-Remaining: 2",
		}},
		{"characters that a name cannot have", ratelimittest.Throttlers, bareLimit, []string{
			"X-RateLimit-Limit-A--B-C--D-: 5", "X-RateLimit-Remaining-A--B-C--D-: 5",
		}},
	})
}
