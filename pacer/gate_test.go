package pacer_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/pacer"
)

// wantHeld requires a hold on everything with the given length, and no earlier plan.
func (d *driver) wantHeld(want time.Duration) {
	d.t.Helper()
	require.InDelta(d.t, want.Seconds(), d.held().Seconds(), 1e-6)
	require.GreaterOrEqual(d.t, d.wait(), d.held())
}

// A refusal holds requests for its Retry-After, the reset of its limit, or a backoff.
func TestHoldLasts(t *testing.T) {
	for _, row := range []struct {
		name   string
		answer pacer.Answer
		want   time.Duration
	}{
		{"Retry-After", refuses(ok(), 7*second), 7 * second},
		{"Retry-After before a reset", refuses(says(60, minute, 0, 30*second), 7*second), 7 * second},
		{"Retry-After with units left: a push-back", refuses(says(60, minute, 9, 30*second), 7*second), 7 * second},
		{"reset of a limit that is used up", refuses(says(60, minute, 0, 30*second), unknown), 30 * second},
		{"reset of a limit with units left: not that", refuses(says(600, minute, 9, 30*second), unknown), second / 4},
		{"nothing reported: backoff", bare429(), second / 4},
		{"at least so long whatever is reported", refuses(ok(), 0), second / 10},
		{"less than nothing is not reported", refuses(ok(), math.MinInt64), second / 4},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := drive(t, even)
			d.get(row.answer)
			d.wantHeld(row.want)
			require.True(t, d.p.Held(d.now))
			require.True(t, d.plan().Known)
			require.Equal(t, pacer.CauseHold, d.plan().Cause)
			d.advance(row.want)
			require.False(t, d.p.Held(d.now))
		})
	}
	d := drive(t, even)
	d.get(refuses(ok(), math.MaxInt64))
	require.Greater(t, d.held(), 200*365*day)
}

// A hold is never shortened. A success of a request sent before the hold does not end it.
func TestHoldIsNeverShortened(t *testing.T) {
	d := drive(t, even)
	flight := d.crowd(4)
	d.answer(flight[0], refuses(ok(), 10*second))
	d.answer(flight[1], refuses(ok(), second))
	d.wantHeld(10 * second)
	d.answer(flight[2], ok())
	d.wantHeld(10 * second)
	d.advance(5 * second)
	d.answer(flight[3], refuses(ok(), 20*second))
	d.wantHeld(20 * second)
	d.advance(5 * second)
	d.get(ok())
	d.wantHeld(15 * second)
}

// After a hold whose end was told, a client that is alone comes back at a random time: within a tenth of the wait, or one
// interval if that is shorter. Both count as at least a second.
func TestComeBackIsSpread(t *testing.T) {
	for _, row := range []struct {
		name   string
		quota  int64
		within time.Duration
	}{
		{"an interval of six seconds", 600, 3 * second},
		{"an interval of two seconds", 1800, 2 * second},
		{"an interval of a tenth of a second", 36_000, second},
	} {
		t.Run(row.name, func(t *testing.T) {
			for _, u := range []float64{0, 0.5, 0.9} {
				d := drive(t, even)
				d.get(says(row.quota, hour, row.quota/2, hour/2))
				d.u = u
				d.get(refuses(says(row.quota, hour, row.quota/2, hour/2), 30*second))
				spread := (d.wait() - 30*second).Seconds()
				require.InDelta(t, u*row.within.Seconds(), spread, 0.01*row.within.Seconds())
			}
		})
	}
}

// Beside others, clients come back within one interval of each after a hold, which counts as a minute at most.
func TestComeBackBesideOthers(t *testing.T) {
	for _, row := range []struct {
		name   string
		quota  int64
		within time.Duration // 0: an interval
	}{{"an interval of some seconds", 3600, 0}, {"an interval of minutes", 100, minute}} {
		t.Run(row.name, func(t *testing.T) {
			for _, u := range []float64{0, 0.5, 0.9} {
				d := drive(t, even)
				d.get(says(row.quota, hour, row.quota-1, hour))
				d.advance(minute)
				d.get(says(row.quota, hour, row.quota-20, hour-minute))
				within := row.within
				if within == 0 {
					within = time.Duration(float64(hour) / float64(row.quota) / d.limit().Share)
				}
				require.Greater(t, within, 4*second, "longer than a tenth of the wait")
				d.u = u
				d.get(refuses(says(row.quota, hour, row.quota-20, hour-minute), 30*second))
				require.InDelta(t, 30+u*within.Seconds(), d.wait().Seconds(), 0.02*within.Seconds())
			}
		})
	}
}

// If Retry-After is before the limit's reset, one request goes then, and its response shows more.
func TestRetryAfterTakesPrecedenceOverAFarReset(t *testing.T) {
	for _, row := range []struct {
		name        string
		answer      pacer.Answer // the response to that request
		least, most time.Duration
	}{
		{"served", says(60, hour, 59, hour), 0, hour},
		{"served after all: units come back", says(60, hour, 0, 40*minute), second, 10 * minute},
		{"refused again", refuses(says(60, hour, 0, 40*minute), minute), minute, 3 * minute},
		{"refused until the reset", refuses(says(60, hour, 0, 40*minute), unknown), 40 * minute, 42 * minute},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := drive(t, even)
			d.get(says(60, hour, 59, hour))
			d.get(refuses(says(60, hour, 0, 50*minute), minute))
			d.wantWaitWithin(minute, 2*minute)
			attempt := d.proceed()
			d.advance(second / 10)
			d.answer(attempt, row.answer)
			d.wantWaitWithin(row.least, row.most)
		})
	}
}

// tokens is a success that reports a limit of 60,000 tokens per minute.
func tokens(remaining int64) pacer.Answer {
	a := says(60_000, minute, remaining, minute)
	a.Limits[0].Unit = "tokens"
	return a
}

// using is the cost of a request that uses n tokens. Negative: the caller does not know the cost.
func using(n int64) pacer.Cost {
	return pacer.Cost{Requests: 1, Others: &[pacer.MaxOthers]int64{n}}
}

// A refusal that names the violated policies holds only the requests that use them. If it names an unknown
// policy, or one that the request does not use, everything is held.
func TestViolatedPolicies(t *testing.T) {
	for _, row := range []struct {
		name       string
		cost       int64 // of the refused request, in tokens
		violated   []string
		held, free bool // everything is held; requests without tokens are free
	}{
		{"none is named", 100, nil, true, false},
		{"that of tokens", 100, []string{"default"}, false, true},
		{"twice", 100, []string{"default", "default"}, false, true},
		{"that of requests", 100, []string{"requests"}, false, false},
		{"both", 100, []string{"default", "requests"}, true, false},
		{"one is not known", 100, []string{"default", "other"}, true, false},
		{"one without a name", 100, []string{"default", ""}, true, false},
		{"that of tokens, of which it used none", 0, []string{"default"}, true, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := drive(t, even)
			reported := tokens(59_900)
			reported.Limits = append(reported.Limits, named("requests", 6000, minute, 5999, minute))
			d.getAs(using(100), reported)
			d.advance(second)

			refusal := refuses(reported, 30*second)
			refusal.Violated = row.violated
			d.getAs(using(row.cost), refusal)
			require.Equal(t, row.held, d.held() > 0)
			require.GreaterOrEqual(t, d.waitAs(using(100)), 30*second)
			require.Equal(t, row.free, d.waitAs(using(0)) < second)
			d.advance(32 * second)
			require.Less(t, d.waitAs(using(100)), 2*second)
		})
	}
}

// A partition is not idle while what it knows is still useful: until the end of a window, or for a day.
func TestIdle(t *testing.T) {
	const year = 365 * day
	d := drive(t, even)
	require.True(t, d.p.Idle(d.now), "nothing is known")
	flight := d.send(1)
	require.False(t, d.p.Idle(d.now), "in flight")
	d.answer(flight, refuses(ok(), hour))
	require.False(t, d.p.Idle(d.now), "held")
	d.advance(hour + 2*second)
	require.True(t, d.p.Idle(d.now))
	for _, row := range []struct {
		name   string
		answer pacer.Answer
		want   time.Duration
	}{
		{"the window that is on", says(60, minute, 59, 10*second), minute},
		{"a day, where something is left", says(1000, 30*day, 1, 20*day), day},
		{"its end, where nothing is", says(1000, 30*day, 0, 20*day), 20 * day},
		{"a day, of a window of years", says(1000, 10*year, 1, unknown), day},
		{"a month, of a window of years without an end", says(1000, 10*year, 0, unknown), 32 * day},
		{"its end, of a window of years", says(1000, 10*year, 0, 20*day), 20 * day},
		{"a day, of a policy", says(1000, 10*year, unknown, unknown), day},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := drive(t, even)
			d.get(row.answer)
			d.advance(row.want)
			require.False(t, d.p.Idle(d.now))
			d.advance(1)
			require.True(t, d.p.Idle(d.now))
		})
	}
}

// The response to an older request, sent before the refused one, reports another limit. It does not free
// any request from the hold.
func TestOlderAnswerFreesNothingFromAHold(t *testing.T) {
	d := drive(t, pacer.Config{})
	older, refused := d.sendAs(via(search)), d.sendAs(via(search))
	d.answer(refused, refuses(several(named("full", 1, unknown, 0, minute)), minute))
	d.answer(older, several(named("other", 1000, hour, 900, hour)))
	require.GreaterOrEqual(t, d.waitVia(search), minute)
}
