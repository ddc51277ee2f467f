package ratelimittest

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// next of the limiters that are made of others is the first instant at which
// Take allows, whatever happened before.
func TestNextOfLimitersOfLimiters(t *testing.T) {
	start := time.Unix(1_000_000, 0)
	from, until := start.Add(20*time.Second), start.Add(50*time.Second)
	window := func() Limiter { return NewFixedWindow(5, 15*time.Second) }
	linear := func() Limiter { return NewLinear(3, 25*time.Second) }
	tests := []struct {
		name string
		make func() Limiter
	}{
		{"push-back", func() Limiter { return PushBack(window(), from, until) }},
		{"push-back twice", func() Limiter { return PushBack(PushBack(linear(), from, until), until, until.Add(9)) }},
		{"push-back for good", func() Limiter { return PushBack(linear(), from, time.Time{}) }},
		{"push-back that never comes", func() Limiter { return PushBack(linear(), until, from) }},
		{"another one instead", func() Limiter { return Instead(window(), linear(), from, until) }},
		{"another one for good", func() Limiter { return Instead(linear(), window(), from, time.Time{}) }},
		{"another one that never comes", func() Limiter { return Instead(linear(), window(), until, from) }},
		{"closed instead", func() Limiter { return Instead(linear(), NewFixedWindow(0, 0), from, until) }},
		{"hidden", func() Limiter { return Hidden(window()) }},
		{"understated", func() Limiter { return Understate(linear(), 2, from, until) }},
		{"places", func() Limiter { return NewConcurrency(3) }},
		{"all of it", func() Limiter {
			return All(NewConcurrency(30), Hidden(PushBack(Instead(linear(), window(), from, until), until, until.Add(9))), window())
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
				cost := rng.Int64N(5) // 4 is more than the linear one has
				asked := func(at time.Time) bool {
					l := tt.make()
					for _, then := range history {
						l.Take(then, "client", 1)
					}
					return l.Take(at, "client", cost).Allowed
				}

				l := tt.make()
				for _, then := range history {
					l.Take(then, "client", 1)
				}
				at, ever := l.(forecaster).next(now, "client", cost)
				require.False(t, at.Before(now), "seed %d", seed)
				if !ever {
					at = now.Add(time.Hour)
				}
				require.Equal(t, ever, asked(at), "seed %d", seed)
				for range 5 {
					if wait := at.Sub(now); wait > 0 {
						require.False(t, asked(at.Add(-1)), "seed %d", seed)
						require.False(t, asked(now.Add(time.Duration(rng.Int64N(int64(wait))))), "seed %d", seed)
					}
				}
			}
		})
	}
}

// At the end of a time, the other one decides: a window that is over just then
// helps nobody.
func TestNextOfInsteadAtTheEnd(t *testing.T) {
	start := time.Unix(0, 0)
	from, until := start.Add(10*time.Second), start.Add(20*time.Second)
	l := Instead(NewFixedWindow(1, 10*time.Second), NewFixedWindow(0, time.Second), from, until)
	l.Take(start, "client", 1)
	at, ever := l.(forecaster).next(start, "client", 1)
	require.True(t, ever)
	require.Equal(t, until, at)
}

// Only what is made of forecasters is one: of others, nobody knows.
func TestLimitersOfOthersDoNotForecast(t *testing.T) {
	other := LimiterFunc(func(time.Time, string, int64) Decision { return Decision{} })
	from := time.Unix(0, 0)
	for _, l := range []Limiter{
		Hidden(other),
		Understate(other, 1, from, time.Time{}),
		PushBack(other, from, time.Time{}),
		Instead(other, NewLinear(1, time.Minute), from, time.Time{}),
		Instead(NewLinear(1, time.Minute), other, from, time.Time{}),
	} {
		_, ok := l.(forecaster)
		require.False(t, ok, "%T", l)
	}
}
