package ratelimittest_test

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
	"github.com/headway-go/headway/validate"
)

// A request that one part refuses takes no quota of the other parts.
func TestAllCountsInEveryPartOrInNone(t *testing.T) {
	start := time.Date(2030, time.January, 1, 12, 0, 0, 0, time.UTC)
	second := &ratelimittest.FixedWindow{Policy: ratelimittest.Policy{Name: "second", Quota: 2, Window: time.Second}}
	minute := &ratelimittest.FixedWindow{Policy: ratelimittest.Policy{Name: "minute", Quota: 3, Window: time.Minute}}
	both := ratelimittest.All(second, minute)
	for _, step := range []struct {
		name             string
		at               time.Duration
		allowed          bool
		inSecond, inLong int64
		retryAfter       time.Duration
	}{
		{"first", 0, true, 1, 2, 0},
		{"second", 0, true, 0, 1, 0},
		{"the second's quota is used up", 400 * time.Millisecond, false, 0, 1, 600 * time.Millisecond},
		{"refused again", 500 * time.Millisecond, false, 0, 1, 500 * time.Millisecond},
		{"the next second", time.Second, true, 1, 0, 0},
		{"the minute's quota is used up", 1500 * time.Millisecond, false, 1, 0, 58500 * time.Millisecond},
		{"the next minute", time.Minute, true, 1, 2, 0},
	} {
		t.Run(step.name, func(t *testing.T) {
			d := both.Take(start.Add(step.at), "client", 1)
			require.Equal(t, step.allowed, d.Allowed)
			require.Equal(t, step.retryAfter, d.RetryAfter)
			require.Len(t, d.Limits, 2)
			require.Equal(t, step.inSecond, d.Limits[0].Remaining)
			require.Equal(t, step.inLong, d.Limits[1].Remaining)
		})
	}
}

// A part that is not of this package decides first, so its refusal takes no quota of the other parts.
func TestAllAsksForeignLimitersFirst(t *testing.T) {
	now := time.Date(2030, time.January, 1, 12, 0, 0, 0, time.UTC)
	quota := &ratelimittest.Linear{Policy: ratelimittest.Per(2, time.Minute)}
	closed := ratelimittest.LimiterFunc(func(time.Time, string, int64) ratelimittest.Decision {
		return ratelimittest.Decision{RetryAfter: 5 * time.Second}
	})
	d := ratelimittest.All(quota, closed).Take(now, "client", 1)
	require.False(t, d.Allowed)
	require.Equal(t, 5*time.Second, d.RetryAfter)
	require.Equal(t, int64(2), d.Limits[0].Remaining, "no quota was taken")
}

// A limiter of the test's own refuses wherever it is nested, and its refusal takes no quota of other
// limiters.
func TestAllRefusesWithANestedForeignLimiter(t *testing.T) {
	never := ratelimittest.LimiterFunc(func(time.Time, string, int64) ratelimittest.Decision {
		return ratelimittest.Decision{RetryAfter: 5 * time.Second}
	})
	within := func(l ratelimittest.Limiter) ratelimittest.Limiter {
		return ratelimittest.All(&ratelimittest.Linear{Policy: ratelimittest.Per(2, time.Minute)}, l)
	}
	tests := []struct {
		name string
		part ratelimittest.Limiter
	}{
		{"alone", never},
		{"in another All", ratelimittest.All(never)},
		{"beside a limiter of the package", within(never)},
		{"nested twice", within(within(never))},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			first, last := &ratelimittest.FixedWindow{Policy: ratelimittest.Per(2, time.Minute)}, &ratelimittest.FixedWindow{Policy: ratelimittest.Per(2, time.Minute)}
			d := ratelimittest.All(first, tt.part, last).Take(start, "client", 1)
			require.False(t, d.Allowed)
			require.Equal(t, 5*time.Second, d.RetryAfter)
			for _, l := range []ratelimittest.Limiter{first, last} {
				require.EqualValues(t, 2, l.Take(start, "client", 0).Limits[0].Remaining, "no quota was taken")
			}
			for _, l := range d.Limits {
				require.EqualValues(t, 2, l.Remaining, l.Policy)
			}
		})
	}
}

// A refusal counts even from a part that would have allowed the request a moment before.
func TestAllAllowsNothingThatAPartRefuses(t *testing.T) {
	quota := int64(2)
	falling := &ratelimittest.FixedWindow{Policy: ratelimittest.Policy{QuotaAt: func(time.Time) int64 {
		quota--
		return quota
	}}}
	require.False(t, ratelimittest.All(falling).Take(start, "client", 1).Allowed)
}

func TestAllCopiesItsParts(t *testing.T) {
	parts := []ratelimittest.Limiter{&ratelimittest.Linear{Policy: ratelimittest.Per(1, time.Minute)}}
	l := ratelimittest.All(parts...)
	parts[0] = &ratelimittest.Linear{Policy: ratelimittest.Per(0, time.Minute)}
	require.True(t, l.Take(start, "client", 1).Allowed)
}

// In the long run the tighter of two policies determines the optimum.
func TestOptimumOfSeveralPolicies(t *testing.T) {
	start := time.Date(2030, time.January, 1, 12, 0, 0, 0, time.UTC)
	both := ratelimittest.All(&ratelimittest.FixedWindow{Policy: ratelimittest.Per(10, time.Second)}, &ratelimittest.FixedWindow{Policy: ratelimittest.Per(300, time.Minute)})
	batch := ratelimittest.Batch{Requests: 900, Workers: 16}
	// 300 requests take 30 windows of a second; three times.
	require.Equal(t, 2*time.Minute+29*time.Second, batch.Optimum(both, start, 0))
	require.Equal(t, int64(300), ratelimittest.Granted(ratelimittest.All(
		&ratelimittest.FixedWindow{Policy: ratelimittest.Per(10, time.Second)}, &ratelimittest.FixedWindow{Policy: ratelimittest.Per(300, time.Minute)}), start, time.Minute-1))
}

// A place that is released during a Take is not lost.
func TestAllLosesNoPlace(t *testing.T) {
	now := time.Date(2030, time.January, 1, 12, 0, 0, 0, time.UTC)
	places := &ratelimittest.Concurrency{Policy: ratelimittest.Policy{Quota: 2}}
	l := ratelimittest.All(places, &ratelimittest.Linear{Policy: ratelimittest.Per(1<<40, time.Minute)}).(releaser)
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			for range 10_000 {
				if l.Take(now, "client", 1).Allowed {
					l.Release(now, "client", 1)
				}
			}
		})
	}
	all.Wait()
	require.EqualValues(t, 2, places.Take(now, "client", 0).Limits[0].Remaining)
}

// onePlace is a limit on requests in flight that is not of this package.
type onePlace struct{ taken bool }

func (p *onePlace) Take(time.Time, string, int64) ratelimittest.Decision {
	allowed := !p.taken
	p.taken = true
	return ratelimittest.Decision{Allowed: allowed}
}

func (p *onePlace) Release(time.Time, string, int64) { p.taken = false }

func TestAllReleasesForeignLimiters(t *testing.T) {
	now := time.Date(2030, time.January, 1, 12, 0, 0, 0, time.UTC)
	place := new(onePlace)
	require.False(t, ratelimittest.All(&ratelimittest.Linear{Policy: ratelimittest.Per(0, time.Minute)}, place).Take(now, "client", 1).Allowed)
	require.False(t, place.taken)
}

// The RetryAfter of a Concurrency counts, although its next place is unknown.
func TestAllReportsTheRetryAfterOfAConcurrency(t *testing.T) {
	now := time.Date(2030, time.January, 1, 12, 0, 0, 0, time.UTC)
	places := &ratelimittest.Concurrency{Policy: ratelimittest.Policy{Quota: 1}, RetryAfter: 2 * time.Second}
	both := ratelimittest.All(places, &ratelimittest.FixedWindow{Policy: ratelimittest.Per(1, time.Minute)})
	require.True(t, both.Take(now, "client", 1).Allowed)
	require.Equal(t, time.Minute, both.Take(now, "client", 1).RetryAfter, "the longer of the two")
	require.Equal(t, 2*time.Second, both.Take(now.Add(time.Minute), "client", 1).RetryAfter)
}

func TestAllWithoutParts(t *testing.T) {
	require.Equal(t, ratelimittest.Decision{Allowed: true}, ratelimittest.All().Take(start, "client", 1))
}

// Parts with equal names get numbers, so a client can distinguish them.
func TestAllNumbersEqualNames(t *testing.T) {
	tests := []struct {
		name  string
		parts []string
		want  []string
	}{
		{"without names", []string{"", "", ""}, []string{"default", "default 2", "default 3"}},
		{"a name that ends in a number", []string{"a 2", "a", "a"}, []string{"a 2", "a", "a 3"}},
		{"equal in a header", []string{"é", "ö", "??", "o"}, []string{"é", "ö 2", "?? 3", "o"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			parts := make([]ratelimittest.Limiter, len(tt.parts))
			for i, name := range tt.parts {
				parts[i] = &ratelimittest.Linear{Policy: ratelimittest.Policy{Name: name, Quota: 2}}
			}
			var names []string
			d := ratelimittest.All(parts...).Take(start, "client", 1)
			for _, l := range d.Limits {
				names = append(names, l.Policy)
			}
			require.Equal(t, tt.want, names)
			require.Equal(t, len(names), distinctNames(written(ratelimittest.Draft10, d)))
		})
	}
}

// distinctNames counts the policy names that a client finds in a response.
func distinctNames(h http.Header) int {
	names := make(map[string]bool)
	for _, l := range validate.Response(&http.Response{Header: h}, start, validate.Bounds{}).Limits {
		names[l.Policy] = true
	}
	return len(names)
}

// A clock set back by an hour does not slow All down.
func TestAllWithAClockSetBack(t *testing.T) {
	now := time.Date(2030, time.January, 1, 12, 0, 0, 0, time.UTC)
	both := ratelimittest.All(&ratelimittest.Linear{Policy: ratelimittest.Per(1_000_000, time.Second)}, &ratelimittest.FixedWindow{Policy: ratelimittest.Per(1_000_000, time.Second)})
	require.True(t, both.Take(now.Add(time.Hour), "", 500_000).Allowed)
	require.False(t, both.Take(now, "", 1).Allowed)
}
