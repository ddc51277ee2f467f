package ratelimittest

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A forecast is the first instant at which Take allows the request, even if the quota falls and recovers
// before.
func TestForecastOfALowerQuota(t *testing.T) {
	policies := []Policy{
		{Quota: 10, Window: time.Minute},
		{Quota: 7, Window: time.Second},
		{Quota: 30, Window: 11}, // a unit costs less than a nanosecond
	}
	for _, v := range variants() {
		for _, p := range policies {
			for _, lower := range []int64{0, 1, p.Quota / 2, 2 * p.Quota} {
				t.Run(fmt.Sprintf("%s, %d per %v, then %d", v.name, p.Quota, p.Window, lower), func(t *testing.T) {
					for seed := range uint64(30) {
						v.testForecast(t, p, lower, rand.New(rand.NewPCG(seed, uint64(lower))))
					}
				})
			}
		}
	}
}

// testForecast draws a history of requests and the span of a lower quota.
func (v variant) testForecast(t *testing.T, p Policy, lower int64, rng *rand.Rand) {
	t.Helper()
	start := time.Date(2030, time.January, 1, 12, 0, 0, 0, time.UTC)
	from := start.Add(gap(rng, 2*p.Window))
	until := from.Add(gap(rng, 2*p.Window))
	p.QuotaAt = LowerQuota(p.Quota, lower, from, until)
	var history []request
	now := start
	for range rng.IntN(8) {
		history = append(history, request{at: now, cost: costOf(rng, p.Quota)})
		now = now.Add(gap(rng, p.Window))
	}
	replayed := func() Limiter {
		l := v.make(p)
		for _, a := range history {
			l.Take(a.at, "client", a.cost)
		}
		return l
	}
	requireForecast(t, replayed, now, costOf(rng, p.Quota), now.Add(20*p.Window), rng, from, until)
}

// requireForecast requires that forecast returns the first instant from now on at which Take allows the
// request. Before that, Take must refuse: at random instants, at the given instants, and one nanosecond
// before those. Each instant is tried on a fresh limiter with the same history, because a limiter may charge
// refused requests.
func requireForecast(t *testing.T, replayed func() Limiter, now time.Time, cost int64, never time.Time, rng *rand.Rand, instants ...time.Time) {
	t.Helper()
	allows := func(at time.Time) bool { return replayed().Take(at, "client", cost).Allowed }
	at, err := forecast(replayed().(forecaster), now, "client", cost)
	require.False(t, at.Before(now))
	if err != nil {
		require.ErrorIs(t, err, errNever)
		at = never
	}
	require.Equal(t, err == nil, allows(at), "at %v", at)
	for range 5 {
		instants = append(instants, now.Add(time.Duration(rng.Int64N(int64(at.Sub(now))+1))))
	}
	for _, then := range append(instants, at) {
		for _, then := range []time.Time{then.Add(-1), then} {
			if !then.Before(now) && then.Before(at) {
				require.False(t, allows(then), "at %v, before %v", then, at)
			}
		}
	}
}

// A forecast gives up if the rules change for ever and never allow the request.
func TestForecastGivesUp(t *testing.T) {
	start := time.Unix(0, 0)
	l := NewLinear(0, time.Minute)
	l.QuotaAt = func(now time.Time) (int64, time.Time) { return now.Unix() % 3, now.Add(time.Second) }
	at, err := forecast(l, start, "client", 3)
	require.ErrorIs(t, err, errUnforeseen)
	require.Equal(t, start.Add(maxChanges*time.Second), at, "the request is refused up to that time")
	at, err = forecast(l, start, "client", 2)
	require.NoError(t, err)
	require.Equal(t, start.Add(2*time.Second), at)
}
