package ratelimittest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
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
		{name: "linear, short penalty", make: func(p Policy) foreseeingLimiter { return &Linear{Policy: p, Penalty: p.Window / 10} }},
		{name: "linear, long penalty", make: func(p Policy) foreseeingLimiter { return &Linear{Policy: p, Strict: true, Penalty: 2 * p.Window} }},
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

// A limiter without a quota refuses everything, so that a test notices the missing quota.
func TestLimitersOfZeroValuesRefuseEverything(t *testing.T) {
	for _, l := range []Limiter{
		new(FixedWindow), new(Linear), new(Exponential), new(SlidingLog), new(SlidingCounter), new(TokenBucket), new(Concurrency),
	} {
		d := l.Take(time.Unix(0, 0), "client", 1)
		require.False(t, d.Allowed, "%T", l)
		require.Zero(t, d.RetryAfter, "%T", l)
		require.Len(t, d.Limits, 1, "%T", l)
		require.Zero(t, d.Limits[0].Remaining, "%T", l)
		require.True(t, l.Take(time.Unix(0, 0), "client", -1).Allowed, "cost 0 or less only reports")
	}
}

// A request of cost n counts like n simultaneous requests of cost 1, and each client has a quota of its own. A cost above
// the quota is never allowed. A fresh limiter decides as this one did.
func TestLimitersCountCostsOfEachClient(t *testing.T) {
	now := time.Unix(0, 0)
	for _, v := range variants() {
		t.Run(v.name, func(t *testing.T) {
			l := v.make(Policy{Quota: 10, Window: time.Minute})
			untouched := l.Take(now, "another", 0)
			require.True(t, l.Take(now, "once", 4).Allowed)
			for range 4 {
				require.True(t, l.Take(now, "one by one", 1).Allowed)
			}
			for _, cost := range []int64{0, 9, 1 << 62} {
				once, oneByOne := l.Take(now, "once", cost), l.Take(now, "one by one", cost)
				require.Equal(t, once.Allowed, oneByOne.Allowed)
				if cost == 1<<62 {
					require.False(t, once.Allowed)
					require.Zero(t, once.RetryAfter, "never")
				}
				// An average rate counts four requests at once as if they were slightly
				// apart.
				require.InDelta(t, once.RetryAfter, oneByOne.RetryAfter, float64(time.Microsecond))
				for i := range once.Limits {
					require.Equal(t, once.Limits[i].Remaining, oneByOne.Limits[i].Remaining)
					require.InDelta(t, once.Limits[i].Reset, oneByOne.Limits[i].Reset, float64(time.Microsecond))
				}
			}
			require.Equal(t, untouched, l.Take(now, "another", 0))
			again, as := fresh(l), v.make(Policy{Quota: 10, Window: time.Minute})
			for _, cost := range []int64{4, 9, 1, 8, 1} {
				require.Equal(t, as.Take(now, "client", cost), again.Take(now, "client", cost))
			}
		})
	}
}

// The limits of each algorithm contain the fields of its Policy, or the defaults.
func TestPolicyIsReported(t *testing.T) {
	for _, row := range []struct {
		policy   Policy
		reported Limit
	}{
		{Policy{Quota: -9, Window: -1}, Limit{Policy: "default", Window: time.Minute}},
		{
			Policy{Name: "peruser", Quota: 9, Window: time.Hour, Unit: "points", PartitionKey: func(client string) string { return "key of " + client }},
			Limit{Policy: "peruser", Quota: 9, Window: time.Hour, Unit: "points", PartitionKey: "key of a"},
		},
	} {
		for _, l := range []Limiter{
			&FixedWindow{Policy: row.policy}, &Linear{Policy: row.policy}, &Exponential{Policy: row.policy},
			&SlidingLog{Policy: row.policy}, &SlidingCounter{Policy: row.policy}, &TokenBucket{Policy: row.policy},
		} {
			d := l.Take(time.Unix(0, 0), "a", 0)
			require.Len(t, d.Limits, 1)
			d.Limits[0].Remaining, d.Limits[0].Reset = 0, 0
			require.Equal(t, row.reported, d.Limits[0], "%T", l)
		}
	}
}

// Concurrent goroutines together get as much as one goroutine would.
func TestLimitersAreSafeForConcurrentUse(t *testing.T) {
	now := time.Unix(0, 0)
	policy := Policy{Quota: 50, Window: time.Minute, QuotaAt: func(time.Time) int64 { return 40 }}
	for _, v := range variants() {
		t.Run(v.name, func(t *testing.T) {
			var want, got int64
			for alone := v.make(policy); alone.Take(now, "client", 1).Allowed; {
				want++
			}
			shared := v.make(policy)
			var goroutines sync.WaitGroup
			for i := range 8 {
				goroutines.Go(func() {
					for range 50 {
						next(shared, now, 1)
						shared.Take(now, strconv.Itoa(i), 1)
						if shared.Take(now, "client", 1).Allowed {
							atomic.AddInt64(&got, 1)
						}
					}
				})
			}
			goroutines.Wait()
			require.Equal(t, want, got)
		})
	}
}

// A limiter forgets an idle client exactly when that changes no decision.
func TestLimitersForgetIdleClients(t *testing.T) {
	policy := Policy{Quota: 10, Window: time.Minute}
	opened, slidingLog, counter := &FixedWindow{Policy: policy}, &SlidingLog{Policy: policy}, &SlidingCounter{Policy: policy}
	bucket := &TokenBucket{Policy: policy, Capacity: 20, Step: 50 * time.Second}
	linear, exponential := &Linear{Policy: policy, Penalty: time.Minute}, &Exponential{Policy: policy}
	tests := []struct {
		name    string
		limiter Limiter
		cost    int64
		known   func() int
		after   time.Duration
	}{
		{"fixed window", opened, 10, func() int { return opened.clients.Len() }, time.Minute},
		{"sliding log", slidingLog, 10, func() int { return slidingLog.clients.Len() }, time.Minute},
		{"sliding counter", counter, 10, func() int { return counter.clients.Len() }, 2 * time.Minute},
		{"token bucket", bucket, 10, func() int { return bucket.clients.Len() }, 150 * time.Second},
		{"linear, after a penalty", linear, 20, func() int { return linear.clients.Len() }, 2 * time.Minute},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			start := time.Unix(0, 0)
			for i := range 100 {
				tt.limiter.Take(start, strconv.Itoa(i), tt.cost)
			}
			require.Equal(t, 100, tt.known())
			tt.limiter.Take(start.Add(tt.after-1), "last", 0)
			require.Equal(t, 100, tt.known())
			tt.limiter.Take(start.Add(tt.after), "last", 0)
			require.Zero(t, tt.known())
		})
	}
	exponential.Take(time.Unix(0, 0), "client", 10)
	full, _ := next(exponential, time.Unix(0, 0), 10)
	exponential.Take(full, "last", 0)
	require.Equal(t, 1, exponential.clients.Len())
	exponential.Take(full.Add(time.Hour), "last", 0)
	require.Zero(t, exponential.clients.Len())
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

// epochs are times at which the histories begin: a limiter decides before year 1 as at any other time.
var epochs = []time.Time{
	time.Date(2030, time.January, 1, 12, 0, 0, 0, time.UTC),
	{},
	time.Time{}.Add(-time.Minute),
	time.Date(-5000, time.January, 1, 0, 0, 0, 0, time.UTC),
	time.Unix(0, 0),
	time.Date(9999, time.December, 31, 0, 0, 0, 0, time.UTC),
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
	seeds := uint64(len(epochs))
	if testing.Short() { // as with the race detector, for which one goroutine has no surprise
		seeds = 3
	}
	for _, v := range variants() {
		t.Run(v.name, func(t *testing.T) {
			for _, p := range policies {
				for seed := range seeds {
					rng := rand.New(rand.NewPCG(seed, uint64(p.Quota)))
					v.testNext(t, p, epochs[seed], rng)
					require.False(t, t.Failed(), "%d per %v, seed %d", p.Quota, p.Window, seed)
				}
			}
		})
	}
}

// testNext draws a history of requests and compares next with Take after each of them.
func (v variant) testNext(t *testing.T, p Policy, now time.Time, rng *rand.Rand) {
	t.Helper()
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

// With extreme quotas, windows and costs nothing is allowed without a quota, and no wait is negative.
func TestLimitersWithExtremeNumbers(t *testing.T) {
	for _, v := range variants() {
		t.Run(v.name, func(t *testing.T) {
			for _, window := range []time.Duration{1, 290 * 365 * 24 * time.Hour, math.MaxInt64} {
				for _, quota := range []int64{-1, 0, 1, math.MaxInt64} {
					for _, cost := range []int64{1, math.MaxInt64} {
						t.Run(fmt.Sprintf("%d per %v, cost %d", quota, window, cost), func(t *testing.T) {
							v.testOverCenturies(t, Policy{Quota: quota, Window: window}, cost)
						})
					}
				}
			}
		})
	}
}

func (v variant) testOverCenturies(t *testing.T, p Policy, cost int64) {
	t.Helper()
	l := v.make(p)
	for _, year := range []int{2030, 2030, 1030, 2030, 2310, 2930, 2931, 2030} {
		now := time.Date(year, time.January, 1, 0, 0, 0, 0, time.UTC)
		at, ever := next(l, now, cost)
		require.False(t, at.Before(now), year)
		d := l.Take(now, "client", cost)
		if year < 2930 { // in later years, differences overflow a time.Duration
			require.Equal(t, ever && at.Equal(now), d.Allowed, year)
		}
		require.False(t, d.Allowed && p.Quota <= 0, year)
		require.GreaterOrEqual(t, d.RetryAfter, time.Duration(0), year)
		for _, limit := range d.Limits {
			require.GreaterOrEqual(t, limit.Reset, time.Duration(-1), year)
			require.GreaterOrEqual(t, limit.Remaining, int64(0), year)
		}
	}
}
