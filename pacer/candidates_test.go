package pacer_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/pacer"
	"github.com/headway-go/headway/ratelimittest"
)

// With r = 40 after 60 units, 35 units remain when 65 have been sent. Responses to earlier requests change
// nothing.
func TestAccount(t *testing.T) {
	d := drive(t, even)
	d.answer(d.send(60), says(100, minute, 40, minute))
	older, newer := d.send(3), d.send(2)
	require.EqualValues(t, 35, d.limit().Remaining)
	d.answer(newer, says(100, minute, 33, minute))
	require.EqualValues(t, 33, d.limit().Remaining)
	d.answer(older, says(7, second, 1, second))
	require.EqualValues(t, 33, d.limit().Remaining)
	require.EqualValues(t, 100, d.limit().Quota)
	d.answer(older, refuses(says(7, second, 1, second), 20*second))
	require.EqualValues(t, 33, d.limit().Remaining)
	require.Equal(t, 20*second, d.held(), "but a refusal holds")
}

// A request that costs more than a bucket has waits until enough has come back, or until the bucket is full.
func TestCostlyRequestsOfABucket(t *testing.T) {
	d := drive(t, even)
	d.get(says(60, minute, 30, 30*second))
	d.advance(10 * second)
	d.get(says(60, minute, 39, 21*second))
	require.True(t, d.limit().Refills)
	d.advance(minute)
	d.answer(d.send(0), says(60, minute, 2, 58*second))
	for cost, want := range map[int64]time.Duration{1: 0, 2: 0, 5: 2010 * time.Millisecond, 60: 57010 * time.Millisecond, 1000: 57010 * time.Millisecond} {
		d.wantWaitAs(pacer.Cost{Requests: cost}, want)
	}
}

// inBursts shows the client a server's algorithm by n requests at once, again and again.
func inBursts(tb testing.TB, l ratelimittest.Limiter, n int, every time.Duration) *driver {
	tb.Helper()
	d := drive(tb, even)
	for range 12 {
		for range n {
			d.get(of(l, draft10)(d.now))
		}
		d.advance(every)
	}
	require.True(tb, d.limit().Refills)
	return d
}

// Of a log of 60 per minute, 30 units were used at once. The other 30 go one every second, and then all of the first 30
// come back at once.
func TestPaceOfALog(t *testing.T) {
	log := &ratelimittest.SlidingLog{Policy: ratelimittest.Policy{Quota: 60, Window: minute}}
	d := inBursts(t, log, 20, 25*second)
	d.advance(2 * minute)
	for range 30 {
		d.get(of(log, draft10)(d.now))
	}
	require.InEpsilon(t, 1, d.limit().Rate, 0.05)
	d.advance(30 * second)
	require.InEpsilon(t, 1, d.limit().Rate, 0.05)
	d.advance(33 * second)
	require.InEpsilon(t, 1, d.limit().Rate, 0.05, "from then on as many as come back")
}

// Of a counter of 100 per minute, 90 units were used in the window before. 20 s into this one 60 of them
// count, and 1.5 come back each second. With 30 left the pace is 2 per second.
func TestPaceOfACounter(t *testing.T) {
	counter := &ratelimittest.SlidingCounter{Policy: ratelimittest.Policy{Quota: 100, Window: minute}}
	d := inBursts(t, counter, 10, 20*second)
	d.advance(2 * minute)
	d.now = start.Add(d.since().Truncate(minute) + second)
	for range 90 {
		d.get(of(counter, draft10)(d.now))
	}
	d.advance(minute + 19*second)
	for range 10 {
		d.get(of(counter, draft10)(d.now))
	}
	require.EqualValues(t, 30, d.limit().Remaining)
	require.InEpsilon(t, 2, d.limit().Rate, 0.2)
}

// The candidate that is believed depends on r and t. The limit is 100 per minute; r = 90 and t = 54 come
// first.
func TestBelief(t *testing.T) {
	for _, row := range []struct {
		name    string
		own     int           // requests in 6 s, the last of which gets a response
		left    int64         // its r
		reset   time.Duration // its t
		refills bool
	}{
		{"as many are left: they have come back", 10, 90, 54 * second, true},
		{"all of them count", 10, 80, 48 * second, false},
		{"others use as many", 10, 70, 48 * second, false},
		{"one more than there can be: overtaking", 10, 81, 48 * second, false},
		{"some have come back: not sure yet", 10, 86, 48 * second, false},
		{"the end has moved", 1, 89, 55 * second, true},
		{"but for rounding", 1, 89, 49 * second, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := drive(t, even)
			d.get(says(100, minute, 90, 54*second))
			for range row.own - 1 {
				d.advance(6 * second / time.Duration(row.own))
				d.lose(d.send(1))
			}
			d.now = start.Add(6 * second)
			d.get(says(100, minute, row.left, row.reset))
			require.Equal(t, row.refills, d.limit().Refills)
		})
	}
}

// Concurrent requests overtake each other in both directions, and some are not counted. Then r seems to rise
// although no unit has come back, and this must rarely look like a refill.
func TestOvertakingIsNoRefill(t *testing.T) {
	refuse := func(a pacer.Answer) pacer.Answer { return refuses(a, second) }
	for _, row := range []struct {
		name  string
		odd   pacer.Cost                      // cost of each fourth request, which is not counted
		after func(pacer.Answer) pacer.Answer // changes its response
	}{
		{"as free", pacer.Cost{}, func(a pacer.Answer) pacer.Answer { return a }},
		{"as refused", one, refuse},
		{"as it uses another limit", pacer.Cost{Requests: 1, Route: 2}, func(pacer.Answer) pacer.Answer { return ok() }},
	} {
		t.Run(row.name, func(t *testing.T) {
			refills := 0
			for seed := range uint64(50) {
				if inAnyOrder(t, seed, row.odd, row.after) {
					refills++
				}
			}
			require.LessOrEqual(t, refills, 12)
		})
	}
}

// inAnyOrder sends requests, six at once, until a hundred units and more are used. It reports whether the limit is then
// taken for one that refills.
func inAnyOrder(t *testing.T, seed uint64, odd pacer.Cost, after func(pacer.Answer) pacer.Answer) (refills bool) {
	t.Helper()
	type request struct {
		pacer.Ticket

		odd      bool
		reported int64
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	take := func(all *[]request) (one request) {
		i := rng.IntN(len(*all))
		one = (*all)[i]
		*all = slices.Delete(*all, i, i+1)
		return one
	}
	d := drive(t, even)
	d.get(says(1000, minute, 999, minute))
	end := d.now.Add(minute)
	var sent, counted []request
	for left := int64(999); left > 900; d.advance(time.Millisecond) {
		switch at := rng.IntN(3); {
		case at == 0 && len(sent)+len(counted) < 6:
			r := request{odd: rng.IntN(4) == 0}
			cost := pacer.Cost{Requests: 1, Route: 1}
			if r.odd {
				cost = odd
			}
			r.Ticket = d.sendAs(cost)
			sent = append(sent, r)
		case at == 1 && len(sent) > 0:
			r := take(&sent)
			if !r.odd {
				left--
			}
			r.reported = left
			counted = append(counted, r)
		case at == 2 && len(counted) > 0:
			r := take(&counted)
			a := says(1000, minute, r.reported, end.Sub(d.now))
			if r.odd {
				a = after(a)
			}
			d.answer(r.Ticket, a)
		}
	}
	return d.limit().Refills
}

// Requests in flight at a restart may never have arrived; that does not look like a refill.
func TestRestartIsNoRefill(t *testing.T) {
	d := drive(t, even)
	d.get(says(60, minute, 50, 50*second))
	d.crowd(3)
	d.restart(0, &even)
	d.get(says(60, minute, 49, 50*second))
	require.False(t, d.limit().Refills)
	d.get(says(60, minute, 49, 50*second))
	d.get(says(60, minute, 49, 50*second))
	require.True(t, d.limit().Refills, "but it is known by now")
}
