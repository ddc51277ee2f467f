package ratelimittest_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

// A refuser embeds a Limiter of this package, with all its methods, and overrides Take.
type refuser struct{ *ratelimittest.FixedWindow }

func (refuser) Take(time.Time, string, int64) ratelimittest.Decision {
	return ratelimittest.Decision{RetryAfter: time.Second}
}

// A freshRefuser overrides Fresh as well.
type freshRefuser struct{ refuser }

func (r freshRefuser) Fresh() ratelimittest.Limiter { return freshRefuser{refuser{r.FixedWindow}} }

func embedders() map[string]ratelimittest.Limiter {
	window := &ratelimittest.FixedWindow{Policy: ratelimittest.Per(10, time.Minute)}
	return map[string]ratelimittest.Limiter{
		"by value":       refuser{window},
		"by address":     &refuser{window},
		"embedded twice": struct{ refuser }{refuser{window}},
		"with a Fresh":   freshRefuser{refuser{window}},
	}
}

// Run and the figures call the overriding Take, not the embedded limiter.
func TestEmbeddingALimiter(t *testing.T) {
	for name, l := range embedders() {
		t.Run(name, func(t *testing.T) {
			f := ratelimittest.Run(t, ratelimittest.Scenario{Limiter: l, Load: ratelimittest.Batch{Requests: 3}})
			require.Equal(t, 3, f.Refused)
			require.Zero(t, ratelimittest.Granted(l, start, time.Minute))
			require.Negative(t, ratelimittest.Batch{Requests: 1}.Optimum(l, start, 0))
		})
	}
}

// If an overriding Take refuses, other parts of All count nothing.
func TestEmbeddingALimiterInOthers(t *testing.T) {
	for name, l := range embedders() {
		for what, l := range map[string]ratelimittest.Limiter{
			"a part of all":    l,
			"a part of a part": ratelimittest.All(l),
		} {
			all := ratelimittest.All(&ratelimittest.Linear{Policy: ratelimittest.Per(5, time.Minute)}, l)
			for range 3 {
				require.False(t, all.Take(start, "", 1).Allowed, "%s, %s", name, what)
			}
			require.EqualValues(t, 5, all.Take(start, "", 0).Limits[0].Remaining, "%s, %s", name, what)
			f := ratelimittest.Run(t, ratelimittest.Scenario{Limiter: all, Load: ratelimittest.Batch{Requests: 3}})
			require.Equal(t, 3, f.Refused, "%s, %s", name, what)
		}
	}
}
