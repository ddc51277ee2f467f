package ratelimittest

import (
	"errors"
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
// without a RetryAfter, or where nobody knows: it is refused 1024 times in a row when
// it comes as told, or the quota changes as often before it is allowed.
func (b Batch) Optimum(l Limiter, start time.Time, latency time.Duration) time.Duration {
	took, err := b.optimum(l, start, latency, 1)
	if err != nil {
		panic("ratelimittest: Optimum: " + err.Error())
	}
	return took
}

// optimum is Optimum for requests of any cost, and fails where that panics.
func (b Batch) optimum(l Limiter, start time.Time, latency time.Duration, cost int64) (time.Duration, error) {
	if b.Requests <= 0 {
		return 0, nil
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
		var err error
		if at, err = granted(l, at, cost); err != nil {
			return 0, err
		}
		*worker = at.Add(back)
	}
	return at.Add(back).Sub(start), nil
}

// Granted returns how many requests of cost 1 a Limiter like l allows one client from
// start to start+d, both included, if it asks for all that it can get; 0 if d is
// negative. Once l refuses without telling until when, that is all. l is as for
// Batch.Optimum, and must refuse at some point, or Granted does not return; for nil it
// is math.MaxInt64. Granted panics where Optimum does because nobody knows.
func Granted(l Limiter, start time.Time, d time.Duration) int64 {
	if l == nil {
		return math.MaxInt64
	}
	n, err := grants(l, start, d, 1, math.MaxInt64)
	if errors.Is(err, errUnforeseen) {
		panic("ratelimittest: Granted: " + err.Error())
	}
	return n
}

// grants is Granted for requests of any cost, and counts no further than most. It
// fails where l refuses before the end and nobody knows until when.
func grants(l Limiter, start time.Time, d time.Duration, cost, most int64) (n int64, err error) {
	l = anew(l)
	end := start.Add(d)
	for at := start; n < most; n++ {
		at, err = granted(l, at, cost)
		switch {
		case at.After(end):
			return n, nil
		case err != nil:
			return n, err
		}
	}
	return n, nil
}

// mostGrants is how many grants Used counts, about a second of work.
const mostGrants = 1 << 18

// Used returns the part of its quota that a client used: the units it was
// allowed over those that the server would have granted it from its first to its
// last arrival. a is what one client sent, or several on one quota; l is as for
// Batch.Optimum. It is asked for units as large as the costs allow. NaN for no
// arrivals, for a nil l, and where l would grant 262,144 of those or more, comes to
// refuse without telling until when, as a Concurrency does, or nobody knows, as for
// Batch.Optimum.
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
	n, err := grants(l, first, a[len(a)-1].Time.Sub(first), each, mostGrants)
	if err != nil || n == mostGrants {
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

// granted takes cost units at the first instant from at on at which l allows it. If
// it fails, l refuses up to the time that it returns. A Limiter that can forecast is
// not asked before, because a strict one charges for that.
func granted(l Limiter, at time.Time, cost int64) (time.Time, error) {
	if l == nil {
		return at, nil
	}
	if f, ok := forecasts(l); ok {
		var err error
		if at, err = foresee(f, at, "", cost); err != nil {
			return at, err
		}
	}
	for range mostChanges {
		d := l.Take(at, "", cost)
		if d.Allowed {
			return at, nil
		}
		if d.RetryAfter <= 0 {
			return at, errNever
		}
		at = at.Add(d.RetryAfter)
	}
	return at, errUnforeseen
}
