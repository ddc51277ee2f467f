package pacer

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// occupy sends n requests that may all go now, and leaves them in flight.
func (d *driver) occupy(n int) []Ticket {
	d.t.Helper()
	tickets := make([]Ticket, n)
	for i := range tickets {
		d.wantWait(0)
		tickets[i] = d.send(1)
	}
	return tickets
}

// Of a server that nothing is known of, one answer is awaited; but nothing waits
// for another request alone, so that every 250 ms one more may go.
func TestColdStart(t *testing.T) {
	d := drive(t, even)
	d.wantWait(0)
	d.send(1)
	d.wantWait(trickle)
	require.False(t, d.p.Plan(d.now, 0, &Cost{Requests: 1}).Known, "it is only caution")
	for range 5 {
		d.advance(trickle)
		d.wantWait(0)
		d.send(1)
		d.wantWait(trickle)
	}
}

// warm has answers that name no limit make room for n.
func (d *driver) warm(n float64) {
	d.t.Helper()
	for d.p.places.most < n {
		d.get(clear200())
	}
}

// An answer that names no limit leaves room for three, and each one more for two more.
func TestWarmServer(t *testing.T) {
	d := drive(t, even)
	d.get(clear200())
	tickets := d.occupy(3)
	d.wantWait(trickle)

	d.answer(tickets[0], clear200())
	d.occupy(3)
	d.wantWait(trickle)
}

// Each round trip triples what goes at once.
func TestRoundTripsOfAWarmServer(t *testing.T) {
	d := drive(t, even)
	for _, want := range []int{1, 3, 9, 27, 81} {
		tickets := d.occupy(want)
		d.wantWait(trickle)
		for _, ticket := range tickets {
			d.answer(ticket, clear200())
		}
	}
}

// Once a limit is named, the pace alone decides.
func TestPlacesUnlimitedOnceALimitIsNamed(t *testing.T) {
	d := drive(t, Config{Burst: 1, Jitter: -1})
	d.get(says(10_000, minute, 10_000, minute))
	d.advance(minute)
	d.get(says(10_000, minute, 10_000, minute))
	d.occupy(1000)
	require.Equal(t, int64(1000), d.p.State(d.now).InFlight)
}

// When answers do not tell the limit any more, other routes may still have it: no
// more go at once than at a server that never told one.
func TestPlacesOnceALimitIsSilent(t *testing.T) {
	d := drive(t, even)
	d.get(says(60, minute, 59, minute))
	for range silentMost {
		require.False(t, d.silent())
		d.get(clear200())
	}
	require.True(t, d.silent())
	d.advance(minute / 2)
	tickets := d.occupy(warmPlaces)
	for range 5 {
		d.wantWaitWithin(1, trickle)
		d.advance(trickle / 5)
	}
	d.answer(tickets[0], says(60, minute, 40, minute/2))
	require.Greater(t, d.wait(1), trickle, "the pace decides again")
}

// What a gateway or a cache answers is no news of the server's limits.
func TestIndirectAnswersSilenceNoLimit(t *testing.T) {
	d := drive(t, even)
	d.get(says(60, minute, 30, minute))
	d.get(concurrent(3, Unknown))
	for range 10 {
		d.get(Answer{RetryAfter: Unknown, Indirect: true})
	}
	require.False(t, d.silent())
	require.True(t, d.p.HasConcurrencyLimit())
}

// A 503 that refuses leaves as many places as were in flight beside it: those the
// server holds.
func TestOverloadCutsPlaces(t *testing.T) {
	d := drive(t, even)
	d.warm(10)
	tickets := d.occupy(10)
	for _, ticket := range tickets[7:] {
		d.answer(ticket, overloaded(second))
	}
	require.InDelta(t, 7, d.p.places.most, 0)

	d.advance(minute)
	for _, ticket := range tickets[:7] {
		d.answer(ticket, clear200())
	}
	d.occupy(7)
	require.Greater(t, d.wait(1), trickle, "one more is known to be too many")

	d.get(says(1000, minute, 999, minute))
	require.Less(t, d.p.places.most, 8.0, "a limit on the rate says nothing of how many at once")
}

// Whatever the order in which answers come: half of the places stay.
func TestOneRoundOfOverloadsCutsPlacesInHalf(t *testing.T) {
	d := drive(t, even)
	d.warm(16)
	d.p.places.most = 16
	for _, want := range []float64{8, 4, 2, 1, 1} {
		for _, ticket := range d.occupy(int(d.p.places.most)) {
			d.answer(ticket, overloaded(0))
		}
		require.InDelta(t, want, d.p.places.most, 0)
		d.advance(minute)
	}
}

// One more place is tried the more rarely the more often that was refused, and the
// sooner the more often it was not.
func TestPlacesGrowAfterAnOverload(t *testing.T) {
	d := drive(t, even)
	answersTo := func(places int) (answers int) {
		for ; d.p.places.most < float64(places); answers++ {
			d.get(clear200())
		}
		return answers
	}
	refuse := func(places int) {
		tickets := d.occupy(places)
		d.answer(tickets[places-1], overloaded(0))
		for _, ticket := range tickets[:places-1] {
			d.answer(ticket, clear200())
		}
		d.advance(minute)
	}
	d.warm(9)
	refuse(9)
	require.InDelta(t, 8*16, answersTo(9), 16)
	refuse(9)
	require.InDelta(t, 8*64, answersTo(9), 64)
	require.InDelta(t, 9*16, answersTo(10), 16)
	require.InDelta(t, 10*4, answersTo(11), 4)
	require.InDelta(t, 11, answersTo(12), 1)
}

// Whoever is refused although nothing else is in flight learns nothing about places.
func TestOverloadOfOneAlone(t *testing.T) {
	d := drive(t, even)
	d.get(clear200())
	d.get(overloaded(0))
	d.advance(minute)
	d.get(clear200())
	require.InDelta(t, 2, d.p.places.most, 1e-9)
}

func TestOverloadLeavesOnePlace(t *testing.T) {
	d := drive(t, even)
	for range 5 {
		d.get(overloaded(second))
		d.advance(minute)
	}
	require.InDelta(t, 1, d.p.places.most, 0)
	d.wantWait(0)
}

// At an advertised limit nothing goes until a request is over, however long that takes.
func TestAdvertisedConcurrency(t *testing.T) {
	d := drive(t, even)
	require.False(t, d.p.HasConcurrencyLimit())
	d.get(concurrent(3, Unknown))
	require.True(t, d.p.HasConcurrencyLimit())
	tickets := d.occupy(3)
	require.Equal(t, Plan{At: Never, For: Everything, Cause: CausePlaces, Age: Unknown}, d.p.Plan(d.now, 0, &Cost{Requests: 1}))

	d.advance(day)
	ok := clear200()
	d.p.Answered(d.now, &tickets[0], &ok, d.u)
	require.Equal(t, Never, d.p.Plan(d.now, 0, &Cost{Requests: 1}).At, "an answer is not the end")
	d.p.Release()
	d.wantWait(0)
}

// What is known of the time before which nothing goes is said all the same.
func TestPlanWithoutAPlace(t *testing.T) {
	for _, row := range []struct {
		name string
		last Answer
		want time.Duration
	}{
		{"hold", refuses(says(60, minute, 0, 30*second), 30*second), 30 * second},
		{"floor", says(60, minute, 0, 30*second), 30 * second},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := drive(t, even)
			d.get(concurrent(2, Unknown))
			last := d.send(1)
			d.send(1)
			d.p.Answered(d.now, &last, &row.last, 0)
			plan := d.p.Plan(d.now, 0, &Cost{Requests: 1})
			require.GreaterOrEqual(t, plan.At, d.now.Add(row.want))
			require.Less(t, plan.At, d.now.Add(row.want+2*second))
			require.True(t, plan.Known)
			require.Equal(t, "default", plan.Policy)

			d.now = plan.At.Add(1)
			require.Equal(t, Plan{At: Never, For: Everything, Cause: CausePlaces, Age: Unknown}, d.p.Plan(d.now, 0, &Cost{Requests: 1}))
			d.p.Release()
			d.wantWait(0)
		})
	}
}

func TestAdvertisedConcurrencyIsKnownFrom(t *testing.T) {
	for _, row := range []struct {
		name             string
		quota, remaining int64
		want             int64
	}{
		{"its quota", 5, 2, 5},
		{"what is left besides those in flight", Unknown, 2, 3},
		{"a quota of zero: those in flight", 0, 0, 1},
		{"the largest number", Unknown, math.MaxInt64, math.MaxInt64},
		{"nothing told: none", Unknown, Unknown, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := drive(t, even)
			d.get(concurrent(row.quota, row.remaining))
			require.Equal(t, row.want, d.p.places.advertised)
			require.Empty(t, d.p.limits, "it sets no pace")
		})
	}
}

// A server that stops telling of its limit has none any more, but not because a few
// answers leave it out: other routes do.
func TestAdvertisedConcurrencyIsForgotten(t *testing.T) {
	for _, row := range []struct {
		name       string
		advertised int64
		answer     Answer
		times      int
		want       int64
	}{
		{"many leave it out", 5, clear200(), math.MaxUint8, 5},
		{"some hundred leave it out", 5, clear200(), math.MaxUint8 + 1, 0},
		{"other limits are told", 5, says(60, minute, 60, minute), math.MaxUint8 + 1, 0},
		{"refusals often come without", 5, overloaded(second), 300, 5},
		{"told time and again", 5, concurrent(5, 4), 300, 5},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := drive(t, even)
			d.get(concurrent(row.advertised, Unknown))
			for range row.times {
				d.get(row.answer)
			}
			require.Equal(t, row.want, d.p.places.advertised)
			d.get(concurrent(5, Unknown))
			for range 4 {
				d.get(clear200())
			}
			require.Equal(t, int64(5), d.p.places.advertised, "counted anew")
		})
	}
}

// More releases than requests are a caller's mistake that does no lasting harm.
func TestPlacesAreNeverNegative(t *testing.T) {
	d := drive(t, even)
	d.send(1)
	d.p.Release()
	d.p.Release()
	require.Zero(t, d.p.State(d.now).InFlight)
}

func concurrent(quota, remaining int64) Answer {
	return Answer{RetryAfter: Unknown, Limits: []Limit{
		{Policy: "parallel", Unit: ConcurrentRequests, Quota: quota, Remaining: remaining, Window: Unknown, Reset: Unknown},
	}}
}

// crowd sends n requests, whatever is planned, and leaves them in flight.
func (d *driver) crowd(n int) []Ticket {
	d.t.Helper()
	tickets := make([]Ticket, n)
	for i := range tickets {
		tickets[i] = d.send(1)
	}
	return tickets
}

// A 429 without a word may mean too many at once: places are cut to those in flight, until
// one is refused that was alone. At the same number again they are the reason, and the
// pace that is found by trial stays.
func TestSuspectedConcurrency(t *testing.T) {
	d := drive(t, even)
	d.warm(20)
	refuse := func(beside int, a Answer) {
		tickets := d.crowd(beside + 1)
		d.answer(tickets[beside], a)
		for _, ticket := range tickets[:beside] {
			d.answer(ticket, clear200())
		}
		d.advance(minute)
	}
	refuse(8, bare429())
	require.True(t, d.p.places.cut)
	require.InDelta(t, 8, d.p.places.most, 1)
	require.EqualValues(t, 1, d.p.trial.unexplained)

	d.get(clear200())
	refuse(8, bare429())
	require.EqualValues(t, 1, d.p.trial.unexplained, "explained")
	require.True(t, d.p.places.cut)

	refuse(8, refuses(says(60, minute, 0, minute), second))
	d.get(clear200())
	refuse(0, bare429())
	require.False(t, d.p.places.cut, "others were not the reason")
	require.EqualValues(t, Unknown, d.p.State(d.now).Places)
}

// Holds do not grow where each round serves some requests and refuses those beside them, though
// the refusals are answered first.
func TestRoundsThatAreNotAllInVain(t *testing.T) {
	d := drive(t, even)
	d.warm(20)
	for range 10 {
		tickets := d.crowd(10)
		d.answer(tickets[9], refuses(clear200(), second))
		for _, ticket := range tickets[:9] {
			d.answer(ticket, clear200())
		}
		d.wantHeld(second)
		d.advance(minute)
	}
}

// What 503s have taught of places, one 429 without a word does not take back.
func TestSuspicionLeavesWhatIsKnownOfPlaces(t *testing.T) {
	d := drive(t, even)
	d.warm(20)
	for _, ticket := range d.crowd(9) {
		d.answer(ticket, overloaded(second))
	}
	d.advance(minute)
	most := d.p.places.most
	require.Positive(t, most)
	d.get(clear200())
	d.get(bare429())
	require.InDelta(t, most, d.p.places.most, 1)
}
