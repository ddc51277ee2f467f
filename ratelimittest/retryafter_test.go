package ratelimittest_test

import (
	"testing"
	"time"

	"github.com/headway-go/headway/ratelimittest"
)

func TestRetryAfter(t *testing.T) {
	wait := func(d time.Duration) ratelimittest.Decision { return ratelimittest.Decision{RetryAfter: d} }
	both := ratelimittest.Together(ratelimittest.RetryAfterSeconds, ratelimittest.RetryAfterDate)
	minute := ratelimittest.RetryingAfter(ratelimittest.RetryAfterSeconds, time.Minute)
	never := ratelimittest.RetryingAfter(ratelimittest.RetryAfterSeconds, 0)
	runGoldens(t, []golden{
		{"whole seconds", ratelimittest.RetryAfterSeconds, wait(3 * time.Second), []string{"Retry-After: 3"}},
		{"rounded up", ratelimittest.RetryAfterSeconds, wait(3*time.Second + 1), []string{"Retry-After: 4"}},
		{"less than one", ratelimittest.RetryAfterSeconds, wait(1), []string{"Retry-After: 1"}},
		{"not known", ratelimittest.RetryAfterSeconds, wait(0), nil},
		{"negative", ratelimittest.RetryAfterSeconds, wait(-1), nil},
		{"allowed", ratelimittest.RetryAfterSeconds, one, nil},
		{"date, 0.9 s after a whole second", ratelimittest.RetryAfterDate, wait(100 * ms), []string{"Retry-After: Tue, 01 Jan 2030 00:00:01 GMT"}},
		{"date, rounded up", ratelimittest.RetryAfterDate, wait(100*ms + 1), []string{"Retry-After: Tue, 01 Jan 2030 00:00:02 GMT"}},
		{"date, not known", ratelimittest.RetryAfterDate, wait(0), nil},
		{"date, negative", ratelimittest.RetryAfterDate, wait(-1), nil},
		{"both", both, refusal, []string{"Retry-After: 3", "Retry-After: Tue, 01 Jan 2030 00:00:04 GMT"}},
		{"both, allowed", both, one, nil},
		{"always a minute, refused", minute, refusal, []string{"Retry-After: 60"}},
		{"always a minute, allowed", minute, one, []string{"Retry-After: 60"}},
		{"never, refused", never, refusal, nil},
	})
}
