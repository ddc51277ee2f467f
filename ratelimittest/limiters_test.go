package ratelimittest

import (
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/meter"
)

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
	}
}

func TestLimitersKeepClientsApart(t *testing.T) {
	now := time.Unix(0, 0)
	for _, v := range variants() {
		t.Run(v.name, func(t *testing.T) {
			l := v.make(Policy{Quota: 3, Window: time.Minute})
			untouched := l.Take(now, "b", 0)
			for l.Take(now, "a", 1).Allowed {
				require.NotEqual(t, untouched, l.Take(now, "a", 0))
			}
			require.Equal(t, untouched, l.Take(now, "b", 0))
			require.True(t, l.Take(now, "b", 1).Allowed)
		})
	}
}

// A request of cost n counts like n simultaneous requests of cost 1.
func TestLimitersCountCosts(t *testing.T) {
	now := time.Unix(0, 0)
	for _, v := range variants() {
		t.Run(v.name, func(t *testing.T) {
			l := v.make(Policy{Quota: 10, Window: time.Minute})
			require.True(t, l.Take(now, "once", 4).Allowed)
			for range 4 {
				require.True(t, l.Take(now, "one by one", 1).Allowed)
			}
			for _, cost := range []int64{0, 9} {
				once, oneByOne := l.Take(now, "once", cost), l.Take(now, "one by one", cost)
				require.Equal(t, once.Allowed, oneByOne.Allowed)
				// An average rate counts four requests at once as if they were slightly
				// apart.
				require.InDelta(t, once.RetryAfter, oneByOne.RetryAfter, float64(time.Microsecond))
				for i := range once.Limits {
					require.Equal(t, once.Limits[i].Remaining, oneByOne.Limits[i].Remaining)
					require.InDelta(t, once.Limits[i].Reset, oneByOne.Limits[i].Reset, float64(time.Microsecond))
				}
			}
		})
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
	tests := []struct {
		name    string
		limiter Limiter
		known   func() int
		after   time.Duration
	}{
		{"fixed window", opened, func() int { return opened.clients.Len() }, time.Minute},
		{"sliding log", slidingLog, func() int { return slidingLog.clients.Len() }, time.Minute},
		{"sliding counter", counter, func() int { return counter.clients.Len() }, 2 * time.Minute},
		{"token bucket", bucket, func() int { return bucket.clients.Len() }, 150 * time.Second},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			start := time.Unix(0, 0)
			for i := range 1000 {
				tt.limiter.Take(start, strconv.Itoa(i), 10)
			}
			require.Equal(t, 1000, tt.known())
			tt.limiter.Take(start.Add(tt.after-1), "last", 0)
			require.Equal(t, 1000, tt.known())
			tt.limiter.Take(start.Add(tt.after), "last", 0)
			require.Zero(t, tt.known())
		})
	}
}

// A log has at most one entry per unit, and at most maxStamps entries.
func TestSlidingLogIsBounded(t *testing.T) {
	tests := []struct {
		name   string
		quota  int64
		strict bool
		cost   int64
		every  time.Duration
		takes  int
		most   int
	}{
		{"one entry for requests at once", 1000, false, 1, 0, 1000, 1},
		{"one entry per unit", 10, false, 1, time.Millisecond, 1000, 10},
		{"refused requests", 10, true, 1, time.Millisecond, 1000, 10},
		{"refused requests of several units", 10, true, 3, time.Millisecond, 1000, 4},
		{"a quota that is larger than the log", 1 << 40, false, 1, time.Second / 10_000, 110_000, maxStamps},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			l := &SlidingLog{Policy: Policy{Quota: tt.quota, Window: 10 * time.Second}, Strict: tt.strict}
			longest := 0
			now := time.Unix(0, 0)
			for range tt.takes {
				l.Take(now, "client", tt.cost)
				log := l.clients.Get("client", meter.Log{})
				longest = max(longest, log.Len())
				now = now.Add(tt.every)
			}
			require.LessOrEqual(t, longest, tt.most)
			require.Greater(t, longest, tt.most/2)
		})
	}
}

// No Window contains more than Quota allowed units.
func TestSlidingLogWindow(t *testing.T) {
	const quota, window = 5, time.Minute
	l := &SlidingLog{Policy: Per(quota, window)}
	var allowed []time.Time
	now := time.Unix(0, 0)
	for range 10_000 {
		now = now.Add(7 * time.Second / 3)
		if l.Take(now, "client", 1).Allowed {
			allowed = append(allowed, now)
		}
	}
	require.Greater(t, len(allowed), 1000)
	for i := quota; i < len(allowed); i++ {
		require.GreaterOrEqual(t, allowed[i].Sub(allowed[i-quota]), window)
	}
}
