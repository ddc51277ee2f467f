package ratelimittest

import (
	"math"
	"time"
)

// Optimum returns how long the batch takes a clairvoyant, greedy client: one
// that has each request arrive at the first instant at which the limiter allows
// it and a worker is free to send it, half of latency before. It is the time
// from start to the last response, as short as no client can know to make it. Each
// request costs 1; 0 or negative latency: none.
//
// The batch is simulated on a Limiter like l, see Fresher, or on l itself if there is
// none, which must then have decided nothing yet and is of no use afterwards. A nil
// l limits nothing. Nothing waits. start matters to windows that are aligned to the
// clock. Optimum panics if the batch would never end, because a request is refused
// without a RetryAfter, or a thousand times in a row when it comes as told.
func (b Batch) Optimum(l Limiter, start time.Time, latency time.Duration) time.Duration {
	took, ever := b.optimum(l, start, latency, 1)
	if !ever {
		panic("ratelimittest: Optimum: the limiter refuses without telling until when")
	}
	return took
}

// optimum is Optimum for requests of any cost; false: the batch would never end.
func (b Batch) optimum(l Limiter, start time.Time, latency time.Duration, cost int64) (time.Duration, bool) {
	if b.Requests <= 0 {
		return 0, true
	}
	l = anew(l)
	there := max(latency, 0) / 2
	back := max(latency, 0) - there
	free := make([]time.Time, min(b.workers(), b.Requests)) // when each worker is free, the next one first
	for i := range free {
		free[i] = start
	}
	at := start
	for i := range b.Requests {
		worker := &free[i%len(free)]
		if earliest := worker.Add(there); earliest.After(at) {
			at = earliest
		}
		var ever bool
		if at, ever = granted(l, at, cost); !ever {
			return 0, false
		}
		*worker = at.Add(back)
	}
	return at.Add(back).Sub(start), true
}

// Granted returns how many requests of cost 1 a Limiter like l allows one client from
// start to start+d, both included, if it asks for all that it can get; 0 if d is
// negative. Once l refuses without telling until when, that is all. l is as for
// Batch.Optimum, and must refuse at some point, or Granted does not return; for nil it
// is math.MaxInt64.
func Granted(l Limiter, start time.Time, d time.Duration) int64 {
	if l == nil {
		return math.MaxInt64
	}
	n, _ := grants(l, start, d, 1, math.MaxInt64)
	return n
}

// grants is Granted for requests of any cost, and counts no further than
// most. false: it went that far, or l refuses for ever, and what it would grant
// is not known.
func grants(l Limiter, start time.Time, d time.Duration, cost, most int64) (n int64, known bool) {
	l = anew(l)
	end := start.Add(d)
	for at := start; n < most; n++ {
		var ever bool
		if at, ever = granted(l, at, cost); !ever {
			return n, false
		}
		if at.After(end) {
			return n, true
		}
	}
	return n, false
}

// mostGrants is how many grants Used counts, about a second of work.
const mostGrants = 1 << 18

// Used returns the part of its quota that a client used: the units it was
// allowed over those that the server would have granted it from its first to its
// last arrival. a is what one client sent, or several on one quota; l is as for
// Batch.Optimum. It is asked for units as large as the costs allow. NaN for no
// arrivals, for a nil l, and where l would grant 262,144 of those or more, or comes to
// refuse without telling until when, as a Concurrency does.
func (a Arrivals) Used(l Limiter) float64 {
	if len(a) == 0 || l == nil {
		return math.NaN()
	}
	var used float64
	var each int64
	for _, x := range a.Allowed() {
		if x.Cost > 0 {
			used += float64(x.Cost)
			each = gcd(each, x.Cost)
		}
	}
	each = max(each, 1)
	first := a[0].Time
	n, known := grants(l, first, a[len(a)-1].Time.Sub(first), each, mostGrants)
	if !known {
		return math.NaN()
	}
	return used / (float64(n) * float64(each))
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// granted takes cost units at the first instant from at on at which l allows it.
// false: l refuses without saying until when. A Limiter that can forecast is not
// asked before, because a strict one charges for that.
func granted(l Limiter, at time.Time, cost int64) (time.Time, bool) {
	if l == nil {
		return at, true
	}
	if f, ok := l.(forecaster); ok {
		var ever bool
		if at, ever = foresee(f, at, "", cost); !ever {
			return at, false
		}
	}
	for range mostRefusals {
		d := l.Take(at, "", cost)
		if d.Allowed {
			return at, true
		}
		if d.RetryAfter <= 0 {
			return at, false
		}
		at = at.Add(d.RetryAfter)
	}
	return at, false
}

// mostRefusals is how often in a row a limiter may put off one that comes when it was
// told to, before it is taken for one that refuses for good.
const mostRefusals = 1 << 10
