package pacer

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Requests that are in flight together overtake each other on their way there and on their
// way back, in whatever order, also those of others, and some are not counted. Then r seems to
// rise although nothing has come back.
func TestOvertakingIsNoRefill(t *testing.T) {
	refuse := func(a Answer) Answer { return refuses(a, second) }
	for _, row := range []struct {
		name   string
		others int64               // of theirs that are counted before each own, at most
		odd    Cost                // of each fourth request, which is not counted
		after  func(Answer) Answer // what it is told; nil: it is lost
	}{
		{"as free", 0, Cost{}, func(a Answer) Answer { return a }},
		{"as refused", 0, Cost{Requests: 1}, refuse},
		{"as it uses another limit", 0, Cost{Requests: 1, Route: 2}, func(Answer) Answer { return clear200() }},
		{"as lost", 0, Cost{Requests: 1}, nil},
		{"beside others", 20, Cost{Requests: 1}, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			for seed := range uint64(50) {
				inAnyOrder(t, seed, row.others, row.odd, row.after)
			}
		})
	}
}

// inAnyOrder sends requests, six of them at once, until a hundred units and more are used.
func inAnyOrder(t *testing.T, seed uint64, others int64, odd Cost, after func(Answer) Answer) {
	t.Helper()
	type request struct {
		Ticket
		odd  bool
		told int64
	}
	rng := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // the same orders in each run
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
	for left := int64(999); left > 900-10*others; d.now = d.now.Add(time.Millisecond) {
		switch at := rng.IntN(3); {
		case at == 0 && len(sent)+len(counted) < 6:
			r := request{odd: rng.IntN(4) == 0}
			cost := Cost{Requests: 1, Route: 1}
			if r.odd {
				cost = odd
			}
			r.Ticket = d.p.Send(d.now, &cost, d.u)
			sent = append(sent, r)
		case at == 1 && len(sent) > 0:
			r := take(&sent)
			left -= rng.Int64N(others + 1)
			if !r.odd {
				left--
			}
			r.told = left
			counted = append(counted, r)
		case at == 2 && len(counted) > 0:
			r := take(&counted)
			a := says(1000, minute, r.told, end.Sub(d.now))
			switch {
			case !r.odd:
				d.p.Answered(d.now, &r.Ticket, &a, d.u)
			case after == nil:
				d.p.Lost(d.now, &r.Ticket)
			default:
				a = after(a)
				d.p.Answered(d.now, &r.Ticket, &a, d.u)
			}
			d.p.Release()
		}
		require.Zero(t, d.limit().refill.evidence, "order %d", seed)
	}
}

// Others cannot overtake so many that it looks like a new window.
func TestNewWindowIsNoOvertaking(t *testing.T) {
	d := drive(t, even)
	d.get(says(40, 2*second, 3, 2*second))
	a, b := d.send(1), d.send(1)
	d.advance(second + second/10)
	d.answer(a, says(40, 2*second, 2, second))
	d.answer(b, says(40, 2*second, 39, 2*second))
	require.Equal(t, int64(2), d.limit().began, "b is of the new one")
	require.Zero(t, d.limit().refill.evidence)
}

// What was in flight when a refusal came may have been counted before it.
func TestOvertakingARefusal(t *testing.T) {
	d := drive(t, even)
	d.get(says(60, minute, 11, 50*second))
	a, b := d.send(1), d.send(1)
	for range 10 {
		d.send(1)
	}
	d.answer(a, refuses(says(60, minute, 0, 50*second), 50*second))
	require.True(t, d.limit().refill.dry)
	d.answer(b, says(60, minute, 10, 50*second))
	require.Zero(t, d.limit().refill.evidence)
}

// What was in flight when the client ended may never have got there.
func TestOvertakingARestart(t *testing.T) {
	d := drive(t, even)
	d.get(says(60, minute, 50, 50*second))
	for range 3 {
		d.send(1)
	}
	d.restart(0)
	d.get(says(60, minute, 49, 50*second))
	require.Zero(t, d.limit().refill.evidence)
	d.get(says(60, minute, 49, 50*second))
	require.Equal(t, uint8(1), d.limit().refill.evidence, "but it is known by now")
}

// More requests than are remembered to be unsure are still many.
func TestOvertakingOfVeryMany(t *testing.T) {
	const most = math.MaxUint16 + 2
	for _, row := range []struct {
		name string
		end  func(d *driver, sent []Ticket)
	}{
		{"in flight", func(d *driver, sent []Ticket) { d.answer(sent[0], says(1e6, minute, 1e6-most, minute)) }},
		{"lost", func(d *driver, sent []Ticket) {
			for i := range sent {
				d.p.Lost(d.now, &sent[i])
				d.p.Release()
			}
		}},
		{"ended", func(d *driver, _ []Ticket) { d.restart(0) }},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := drive(t, even)
			d.get(says(1e6, minute, 1e6, minute))
			sent := make([]Ticket, most)
			for i := range sent {
				sent[i] = d.p.Send(d.now, &Cost{Requests: 1}, d.u)
			}
			row.end(d, sent)
			d.get(says(1e6, minute, 1e6-most/2, minute))
			require.Zero(t, d.limit().refill.evidence)
		})
	}
}

// Requests sent after one, or to another limit, are no doubt of what has come back for it.
func TestRefillBesideOtherRequests(t *testing.T) {
	for _, row := range []struct {
		name  string
		other func(d *driver)
	}{
		{"sent later", func(d *driver) { d.send(1) }},
		{"of another limit", func(d *driver) {
			ticket := d.p.Send(d.now, &Cost{Requests: 1, Route: 2}, d.u)
			d.answer(ticket, clear200())
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := drive(t, even)
			get := func(left int64, before func()) {
				ticket := d.p.Send(d.now, &Cost{Requests: 1, Route: 1}, d.u)
				before()
				d.answer(ticket, says(600, minute, left, 50*second))
			}
			get(500, func() {})
			for d.p.route(2).spared == 0 {
				d.answer(d.p.Send(d.now, &Cost{Requests: 1, Route: 2}, d.u), clear200())
			}
			get(400, func() {})
			require.Zero(t, d.limit().refill.evidence)
			get(400, func() {
				for range 5 {
					row.other(d)
				}
			})
			require.Equal(t, uint8(1), d.limit().refill.evidence)
		})
	}
}
