package pacer_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/pacer"
)

const trickle = 250 * time.Millisecond // after this time one more request is sent without any response

// Once a limit is reported, only the pace decides. When responses no longer report it, other routes may
// still use it. Then as many requests may be in flight as at a server that has never reported a limit.
func TestPlacesBesideALimit(t *testing.T) {
	d := drive(t, pacer.Config{Burst: 1, Jitter: -1})
	d.get(says(1_000_000, minute, 999_999, minute))
	d.get(says(1_000_000, minute, 999_998, minute))
	require.Equal(t, 10_000, d.burst())
	require.EqualValues(t, unknown, d.state().Places)

	d = drive(t, even)
	d.get(says(60, minute, 59, minute))
	for range 3 {
		require.EqualValues(t, unknown, d.state().Places)
		d.get(ok())
	}
	d.advance(30 * second)
	require.EqualValues(t, 3, d.state().Places, "without limits there is a slow start again")
	flight := d.occupy(3)
	d.wantWait(trickle)
	d.answer(flight[0], says(60, minute, 40, 30*second))
	d.get(says(60, minute, 37, 30*second))
	require.EqualValues(t, unknown, d.state().Places, "the pace decides again")
}

// Responses of a gateway or a cache prove nothing about the server's limits.
func TestIndirectAnswersAreNoNews(t *testing.T) {
	d := drive(t, even)
	d.get(several(named("default", 60, minute, 59, minute), atMost(3, unknown)))
	for range 300 {
		d.get(pacer.Answer{RetryAfter: unknown, Indirect: true})
	}
	require.True(t, d.p.HasLimits())
	require.True(t, d.p.HasConcurrencyLimit())
	require.Greater(t, d.wait(), second)
}

// atMost is a limit on concurrent requests.
func atMost(quota, remaining int64) limits.Reported {
	return limits.Reported{Policy: "parallel", Unit: limits.ConcurrentRequests, Quota: quota, Remaining: remaining, Window: unknown, Reset: unknown}
}

// At an advertised concurrency limit nothing is sent until a request has ended, however long that takes. A
// response is not the end. The limit sets no pace.
func TestAdvertisedConcurrency(t *testing.T) {
	noPlace := pacer.Plan{At: pacer.Never, For: pacer.Everything, Cause: pacer.CausePlaces}
	d := drive(t, even)
	require.False(t, d.p.HasConcurrencyLimit())
	d.get(several(atMost(3, unknown)))
	require.True(t, d.p.HasConcurrencyLimit())
	require.Empty(t, d.state().Limits)
	flight := d.occupy(3)
	require.Equal(t, noPlace, d.plan())
	d.advance(day)
	answer := ok()
	d.p.Answered(d.now, &flight[0], &answer)
	require.Equal(t, noPlace, d.plan(), "an answer is not the end")
	d.p.Release()
	d.wantWait(0)

	for _, row := range []struct {
		name             string
		quota, remaining int64
		want             int64
	}{
		{"its quota", 5, 2, 5},
		{"what is left beside those in flight", unknown, 2, 3},
		{"a quota of zero: those in flight", 0, 0, 1},
		{"the largest number", unknown, math.MaxInt64, math.MaxInt64},
		{"nothing reported: the slow start's", unknown, unknown, 3},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := drive(t, even)
			d.get(several(atMost(row.quota, row.remaining)))
			require.Equal(t, row.want, d.state().Places)
		})
	}
}

// Without a free place, the plan still reports the end of a hold or window before which nothing is sent.
func TestPlanWithoutAPlace(t *testing.T) {
	for name, last := range map[string]pacer.Answer{
		"hold":            refuses(says(60, minute, 0, 30*second), 30*second),
		"end of a window": says(60, minute, 0, 30*second),
	} {
		t.Run(name, func(t *testing.T) {
			d := drive(t, even)
			d.get(several(atMost(2, unknown)))
			flight := d.crowd(2)
			d.p.Answered(d.now, &flight[0], &last)
			plan := d.plan()
			d.wantWaitWithin(30*second, 32*second)
			require.True(t, plan.Known)
			require.Equal(t, "default", plan.Policy)
			d.now = plan.At + 1
			require.Equal(t, pacer.Never, d.plan().At)
			d.p.Release()
			d.wantWait(0)
		})
	}
}

// An advertised concurrency limit is forgotten after 256 responses without it. A few such responses may
// come from routes without the limit.
func TestAdvertisedConcurrencyIsForgotten(t *testing.T) {
	for _, row := range []struct {
		name   string
		answer pacer.Answer
		times  int
		want   bool
	}{
		{"many leave it out", ok(), 255, true},
		{"some hundred leave it out", ok(), 256, false},
		{"other limits are reported", says(1000, minute, 999, minute), 256, false},
		{"refusals often come without", overloaded(second), 300, true},
		{"reported time and again", several(atMost(5, 4)), 300, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := drive(t, even)
			d.get(several(atMost(5, unknown)))
			for range row.times {
				d.get(row.answer)
			}
			require.Equal(t, row.want, d.p.HasConcurrencyLimit())
			d.get(several(atMost(5, unknown)))
			for range 4 {
				d.get(ok())
			}
			require.True(t, d.p.HasConcurrencyLimit(), "counted anew")
		})
	}
}
