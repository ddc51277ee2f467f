package ratelimittest

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The forecast of combined limiters is the first instant at which Take allows, whatever happened before.
func TestForecastOfCombinedLimiters(t *testing.T) {
	start := time.Unix(1_000_000, 0)
	from, until := start.Add(20*time.Second), start.Add(50*time.Second)
	window := func() Limiter { return NewFixedWindow(5, 15*time.Second) }
	linear := func() Limiter { return NewLinear(3, 25*time.Second) }
	lowered := func() Limiter {
		return &SlidingLog{Policy: Policy{Window: 10 * time.Second, QuotaAt: LowerQuota(4, 1, from.Add(9), until.Add(-9))}}
	}
	tests := []struct {
		name string
		make func() Limiter
	}{
		{"push-back", func() Limiter { return PushBack(window(), from, until) }},
		{"push-back twice", func() Limiter { return PushBack(PushBack(linear(), from, until), until, until.Add(9)) }},
		{"push-back twice, the later one inside", func() Limiter { return PushBack(PushBack(linear(), until, until.Add(9)), from, until) }},
		{"push-back for good", func() Limiter { return PushBack(linear(), from, time.Time{}) }},
		{"push-back that never comes", func() Limiter { return PushBack(linear(), until, from) }},
		{"push-back of a lower quota", func() Limiter { return PushBack(lowered(), from, until) }},
		{"push-back before a lower quota", func() Limiter { return PushBack(lowered(), start, from) }},
		{"another limiter instead", func() Limiter { return Instead(window(), linear(), from, until) }},
		{"another limiter for good", func() Limiter { return Instead(linear(), window(), from, time.Time{}) }},
		{"another limiter that never decides", func() Limiter { return Instead(linear(), window(), until, from) }},
		{"a limiter that refuses everything instead", func() Limiter { return Instead(linear(), NewFixedWindow(0, 0), from, until) }},
		{"a lower quota instead", func() Limiter { return Instead(window(), lowered(), from, until) }},
		{"hidden", func() Limiter { return Hidden(window()) }},
		{"understated", func() Limiter { return Understate(linear(), 2, from, until) }},
		{"places", func() Limiter { return NewConcurrency(3) }},
		{"fewer places for a while", func() Limiter {
			return &Concurrency{Policy: Policy{QuotaAt: LowerQuota(2, 20, from, until)}}
		}},
		{"all of them combined", func() Limiter {
			return All(NewConcurrency(30), Hidden(PushBack(Instead(linear(), window(), from, until), until, until.Add(9))), All(window(), lowered()))
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for seed := range uint64(300) {
				rng := rand.New(rand.NewPCG(seed, 1))
				var history []time.Time
				now := start
				for range rng.IntN(12) {
					now = now.Add(time.Duration(rng.Int64N(int64(10 * time.Second))))
					history = append(history, now)
				}
				replayed := func() Limiter {
					l := tt.make()
					for _, then := range history {
						l.Take(then, "client", 1)
					}
					return l
				}
				// The linear limiter never allows a cost of 4.
				requireForecast(t, replayed, now, rng.Int64N(5), now.Add(time.Hour), rng, from, from.Add(9), until.Add(-9), until, until.Add(9))
			}
		})
	}
}

// At the end of its span, Instead changes to the usual limiter. A window of the other limiter that ends at
// that instant does not matter.
func TestForecastOfInsteadAtItsEnd(t *testing.T) {
	start := time.Unix(0, 0)
	from, until := start.Add(10*time.Second), start.Add(20*time.Second)
	l := Instead(NewFixedWindow(1, 10*time.Second), NewFixedWindow(0, time.Second), from, until)
	l.Take(start, "client", 1)
	at, err := forecast(l.(forecaster), start, "client", 1)
	require.NoError(t, err)
	require.Equal(t, until, at)
}

// A limiter is a forecaster only if all its parts are.
func TestForeignLimitersDoNotForecast(t *testing.T) {
	other := LimiterFunc(func(time.Time, string, int64) Decision { return Decision{} })
	from := time.Unix(0, 0)
	for _, l := range []Limiter{
		Hidden(other),
		Understate(other, 1, from, time.Time{}),
		PushBack(other, from, time.Time{}),
		Instead(other, NewLinear(1, time.Minute), from, time.Time{}),
		Instead(NewLinear(1, time.Minute), other, from, time.Time{}),
		All(NewLinear(1, time.Minute), other),
		All(All(other)),
		Hidden(All(other)),
	} {
		_, ok := l.(forecaster)
		require.False(t, ok, "%T", l)
	}
}
