package ratelimittest_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
	"github.com/headway-go/headway/validate"
)

// A request that one part refuses takes no quota of the other parts.
func TestAllCountsInEveryPartOrInNone(t *testing.T) {
	both := ratelimittest.All(
		&ratelimittest.FixedWindow{Policy: ratelimittest.Policy{Name: "second", Quota: 2, Window: s}},
		&ratelimittest.FixedWindow{Policy: ratelimittest.Policy{Name: "minute", Quota: 3, Window: time.Minute}},
	)
	for _, step := range []struct {
		name             string
		at               time.Duration
		allowed          bool
		inSecond, inLong int64
		retryAfter       time.Duration
	}{
		{"first", 0, true, 1, 2, 0},
		{"second", 0, true, 0, 1, 0},
		{"the second's quota is used up", 400 * ms, false, 0, 1, 600 * ms},
		{"the next second", s, true, 1, 0, 0},
		{"the minute's quota is used up", 1500 * ms, false, 1, 0, 58500 * ms},
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

// A refuser embeds a Limiter of this package, with all its methods, and overrides Take.
type refuser struct{ *ratelimittest.FixedWindow }

func (refuser) Take(time.Time, string, int64) ratelimittest.Decision {
	return ratelimittest.Decision{RetryAfter: 5 * s}
}

// A freshRefuser overrides Fresh as well.
type freshRefuser struct{ refuser }

func (r freshRefuser) Fresh() ratelimittest.Limiter { return freshRefuser{refuser{r.FixedWindow}} }

// A limiter of the test's own refuses wherever it is nested, and its refusal takes no quota of other limiters. Run and the
// figures call its Take, too, and not that of a Limiter that it embeds.
func TestForeignLimitersRefuse(t *testing.T) {
	window := &ratelimittest.FixedWindow{Policy: tenPerMinute}
	never := ratelimittest.LimiterFunc(refuser{}.Take)
	within := func(l ratelimittest.Limiter) ratelimittest.Limiter {
		return ratelimittest.All(&ratelimittest.Linear{Policy: tenPerMinute}, l)
	}
	for name, part := range map[string]ratelimittest.Limiter{
		"a function":                       never,
		"beside a limiter of the package":  within(never),
		"a type that embeds, by value":     refuser{window},
		"a type that embeds, with a Fresh": freshRefuser{refuser{window}},
	} {
		t.Run(name, func(t *testing.T) {
			first, last := &ratelimittest.FixedWindow{Policy: tenPerMinute}, &ratelimittest.FixedWindow{Policy: tenPerMinute}
			all := ratelimittest.All(first, part, last)
			d := all.Take(start, "client", 1)
			require.False(t, d.Allowed)
			require.Equal(t, 5*s, d.RetryAfter)
			for _, l := range append(d.Limits, first.Take(start, "client", 0).Limits[0], last.Take(start, "client", 0).Limits[0]) {
				require.EqualValues(t, 10, l.Remaining, l.Policy)
			}
			for _, l := range []ratelimittest.Limiter{part, all} {
				f := ratelimittest.Run(t, ratelimittest.Scenario{Limiter: l, Load: ratelimittest.Batch{Requests: 3}})
				require.Equal(t, 3, f.Refused)
				require.Negative(t, ratelimittest.Batch{Requests: 1}.Optimum(l, start, 0))
			}
		})
	}
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
	place := new(onePlace)
	require.False(t, ratelimittest.All(new(ratelimittest.Linear), place).Take(start, "client", 1).Allowed)
	require.False(t, place.taken)
}

// The RetryAfter of a Concurrency counts, although its next place is unknown.
func TestAllReportsTheRetryAfterOfAConcurrency(t *testing.T) {
	places := &ratelimittest.Concurrency{Policy: ratelimittest.Policy{Quota: 1}, RetryAfter: 2 * s}
	both := ratelimittest.All(places, &ratelimittest.FixedWindow{Policy: ratelimittest.Per(1, time.Minute)})
	require.True(t, both.Take(start, "client", 1).Allowed)
	require.Equal(t, time.Minute, both.Take(start, "client", 1).RetryAfter, "the longer of the two")
	require.Equal(t, 2*s, both.Take(start.Add(time.Minute), "client", 1).RetryAfter)
}

// Parts with equal names get numbers, so a client can distinguish them.
func TestAllNumbersEqualNames(t *testing.T) {
	for _, row := range []struct {
		name        string
		parts, want []string
	}{
		{"without names", []string{"", "", ""}, []string{"default", "default 2", "default 3"}},
		{"equal in a header", []string{"é", "ö", "??", "o"}, []string{"é", "ö 2", "?? 3", "o"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			var parts []ratelimittest.Limiter
			for _, name := range row.parts {
				parts = append(parts, &ratelimittest.Linear{Policy: ratelimittest.Policy{Name: name, Quota: 2}})
			}
			d := ratelimittest.All(parts...).Take(start, "client", 1)
			var names []string
			for _, l := range d.Limits {
				names = append(names, l.Policy)
			}
			require.Equal(t, row.want, names)
			read := make(map[string]bool)
			resp := &http.Response{Header: written(ratelimittest.Draft10, d)}
			for _, l := range validate.Response(resp, start, validate.Bounds{}).Limits {
				read[l.Policy] = true
			}
			require.Len(t, read, len(names), "a client finds as many")
		})
	}
}
