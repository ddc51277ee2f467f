package ratelimittest

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A variant is an algorithm of this package with certain settings.
type variant struct {
	name string
	make func(Policy) foreseeingLimiter
}

// A foreseeingLimiter is what each algorithm of this package is.
type foreseeingLimiter interface {
	Limiter
	foreseer
}

// next returns the first instant, from now on, at which Take would allow the request, as a dry decision says it.
func next(l foreseer, now time.Time, cost int64) (time.Time, bool) {
	d := l.take(now, "client", cost, true)
	return now.Add(d.RetryAfter), d.Allowed || d.RetryAfter > 0
}

// variants returns all variants of all algorithms, for tests of common properties.
func variants() []variant {
	return []variant{
		{name: "fixed window", make: func(p Policy) foreseeingLimiter { return &FixedWindow{Policy: p} }},
		{name: "fixed window, aligned", make: func(p Policy) foreseeingLimiter { return &FixedWindow{Policy: p, Aligned: true} }},
		{name: "fixed window, elastic", make: func(p Policy) foreseeingLimiter { return &FixedWindow{Policy: p, Elastic: true} }},
		{name: "linear", make: func(p Policy) foreseeingLimiter { return &Linear{Policy: p} }},
		{name: "linear, strict", make: func(p Policy) foreseeingLimiter { return &Linear{Policy: p, Strict: true} }},
		{name: "linear, penalty", make: func(p Policy) foreseeingLimiter { return &Linear{Policy: p, Penalty: 2 * p.Window} }},
		{name: "exponential", make: func(p Policy) foreseeingLimiter { return &Exponential{Policy: p} }},
		{name: "exponential, strict", make: func(p Policy) foreseeingLimiter { return &Exponential{Policy: p, Strict: true} }},
		{name: "sliding log", make: func(p Policy) foreseeingLimiter { return &SlidingLog{Policy: p} }},
		{name: "sliding log, strict", make: func(p Policy) foreseeingLimiter { return &SlidingLog{Policy: p, Strict: true} }},
		{name: "sliding counter", make: func(p Policy) foreseeingLimiter { return &SlidingCounter{Policy: p} }},
		{name: "sliding counter, strict", make: func(p Policy) foreseeingLimiter { return &SlidingCounter{Policy: p, Strict: true} }},
		{name: "token bucket", make: func(p Policy) foreseeingLimiter { return &TokenBucket{Policy: p} }},
		{name: "token bucket, small", make: func(p Policy) foreseeingLimiter { return &TokenBucket{Policy: p, Capacity: p.Quota/2 + 1} }},
		{name: "token bucket, large", make: func(p Policy) foreseeingLimiter { return &TokenBucket{Policy: p, Capacity: 3*p.Quota + 1} }},
		{name: "token bucket, in steps", make: func(p Policy) foreseeingLimiter { return &TokenBucket{Policy: p, Step: p.Window/7 + 1} }},
		{name: "token bucket, in windows", make: func(p Policy) foreseeingLimiter { return &TokenBucket{Policy: p, Step: p.Window} }},
		{name: "banned at once", make: func(p Policy) foreseeingLimiter {
			return Ban(&FixedWindow{Policy: p}, 0, p.Window/2+1).(foreseeingLimiter)
		}},
		{name: "banned after three refusals", make: func(p Policy) foreseeingLimiter {
			return Ban(&SlidingLog{Policy: p, Strict: true}, 2, 2*p.Window).(foreseeingLimiter)
		}},
		{name: "two at once", make: func(p Policy) foreseeingLimiter {
			short := Policy{Name: "short", Quota: p.Quota/2 + 1, Window: p.Window/5 + 1}
			return All(&SlidingLog{Policy: p}, &TokenBucket{Policy: short}).(foreseeingLimiter)
		}},
	}
}

// A request is one request of a random history.
type request struct {
	at    time.Time
	cost  int64
	quota int64 // the policy's quota at that time
}

// replayed returns a new limiter that has decided about the whole history. Its quota stays that of the last
// request.
func (v variant) replayed(p Policy, history []request) foreseeingLimiter {
	var quota int64
	p.QuotaAt = func(time.Time) int64 { return quota }
	l := v.make(p)
	for _, a := range history {
		quota = a.quota
		l.Take(a.at, "client", a.cost)
	}
	return l
}

// next returns the first instant at which Take allows the request. Take refuses at a random instant before it
// and one nanosecond before it. Each instant is tried on a new limiter with the same history, because a
// limiter may charge refused requests.
func TestNextIsTheFirstInstant(t *testing.T) {
	policies := []Policy{
		{Quota: 10, Window: time.Minute},
		{Quota: 7, Window: time.Second},
		{Quota: 1, Window: 10 * time.Second},
		{Quota: 30, Window: 11}, // a unit costs less than a nanosecond
		{Quota: 1 << 40, Window: 24 * time.Hour},
	}
	seeds := uint64(6)
	if testing.Short() { // as with the race detector, for which one goroutine has no surprise
		seeds = 1
	}
	for _, v := range variants() {
		t.Run(v.name, func(t *testing.T) {
			for _, p := range policies {
				for seed := range seeds {
					rng := rand.New(rand.NewPCG(seed, uint64(p.Quota)))
					v.testNext(t, p, rng)
					require.False(t, t.Failed(), "%d per %v, seed %d", p.Quota, p.Window, seed)
				}
			}
		})
	}
}

// testNext draws a history of requests and compares next with Take after each of them.
func (v variant) testNext(t *testing.T, p Policy, rng *rand.Rand) {
	t.Helper()
	now := time.Date(2030, time.January, 1, 12, 0, 0, 0, time.UTC)
	quota := p.Quota
	var history []request
	for range 25 {
		now = now.Add(gap(rng, p.Window))
		if rng.IntN(10) == 0 {
			quota = rng.Int64N(p.Quota + 1)
		}
		cost := costOf(rng, p.Quota)
		history = append(history, request{now, 0, quota})
		at, ever := v.requireNext(t, p, history, cost, rng)

		if early := now.Add(-gap(rng, p.Window)); rng.IntN(10) == 0 { // the clock is set back for one request
			history = append(history, request{early, 0, quota})
			v.requireNext(t, p, history, cost, rng)
			history = append(history, request{early, cost, quota})
		} else if rng.IntN(3) == 0 && ever {
			now = at
		}
		history = append(history, request{now, cost, quota})
	}
}

func (v variant) requireNext(t *testing.T, p Policy, history []request, cost int64, rng *rand.Rand) (time.Time, bool) {
	t.Helper()
	now := history[len(history)-1].at
	at, ever := next(v.replayed(p, history), now, cost)
	require.False(t, at.Before(now))

	asked := v.replayed(p, history)
	next(asked, now, cost)
	d := asked.Take(now, "client", cost)
	require.Equal(t, v.replayed(p, history).Take(now, "client", cost), d, "next changes nothing")
	require.Equal(t, ever && at.Equal(now), d.Allowed, "now")
	if again, ever := next(asked, now, cost); !d.Allowed && ever {
		require.Equal(t, again.Sub(now), d.RetryAfter)
	}

	if !ever {
		at = now.Add(20 * p.Window)
		require.False(t, v.replayed(p, history).Take(at, "client", cost).Allowed, "never")
		return at, false
	}
	require.True(t, v.replayed(p, history).Take(at, "client", cost).Allowed, "at next")
	if wait := at.Sub(now); wait > 0 {
		require.False(t, v.replayed(p, history).Take(at.Add(-1), "client", cost).Allowed, "one nanosecond before next")
		between := now.Add(time.Duration(rng.Int64N(int64(wait))))
		require.False(t, v.replayed(p, history).Take(between, "client", cost).Allowed, "between now and next")
	}
	return at, true
}

// gap draws the time between two requests: none, little or much.
func gap(rng *rand.Rand, window time.Duration) time.Duration {
	switch rng.IntN(5) {
	case 0:
		return 0
	case 1:
		return 1
	case 2:
		return time.Duration(rng.Int64N(3*int64(window) + 1))
	case 3:
		return window / 10
	}
	return time.Duration(rng.Int64N(int64(window)/3 + 1))
}

// costOf draws the cost of a request: one unit, some, all, or too much.
func costOf(rng *rand.Rand, quota int64) int64 {
	switch rng.IntN(8) {
	case 0:
		return quota
	case 1:
		return quota + 1
	case 2, 3:
		return rng.Int64N(quota + 1)
	case 4:
		return quota/3 + 1
	}
	return 1
}
