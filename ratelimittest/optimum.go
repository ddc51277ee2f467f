package ratelimittest

import (
	"math"
	"time"
)

// Optimum returns how long the batch takes a clairvoyant, greedy client: one
// that has each request arrive at the first instant at which the limiter allows
// it and a worker is free to send it, half of latency before. It is the time
// from start to the last response, as short as no client can know to make it.
//
// The batch is simulated on fresh, a Limiter set up as the server's that has
// decided nothing yet and is of no use afterwards; nothing waits. start matters
// to windows that are aligned to the clock. Optimum panics if fresh refuses a
// request without a RetryAfter, so that the batch would never end.
func (b Batch) Optimum(fresh Limiter, start time.Time, latency time.Duration) time.Duration {
	optimum, ever := b.optimum(fresh, start, latency)
	if !ever {
		panic("ratelimittest: Optimum: the limiter refuses without telling until when")
	}
	return optimum
}

func (b Batch) optimum(fresh Limiter, start time.Time, latency time.Duration) (optimum time.Duration, ever bool) {
	there := max(latency, 0) / 2
	back := max(latency, 0) - there
	free := make([]time.Time, min(b.workers(), max(b.Requests, 1))) // when each worker is free, the next one first
	for i := range free {
		free[i] = start
	}
	at := start
	for i := range b.Requests {
		worker := &free[i%len(free)]
		if earliest := worker.Add(there); earliest.After(at) {
			at = earliest
		}
		if at, ever = granted(fresh, at); !ever {
			return 0, false
		}
		*worker = at.Add(back)
	}
	if b.Requests <= 0 {
		return 0, true
	}
	return at.Add(back).Sub(start), true
}

// Granted returns how many requests of cost 1 fresh allows one client from start
// to start+d, both included, if it asks for all that it can get. fresh is as for
// Batch.Optimum. One that allows more than MaxGranted is taken to allow everything:
// the result is math.MaxInt64.
func Granted(fresh Limiter, start time.Time, d time.Duration) int64 {
	end := start.Add(d)
	var n int64
	for at, ever := granted(fresh, start); ever && !at.After(end); at, ever = granted(fresh, at) {
		if n++; n > MaxGranted {
			return math.MaxInt64
		}
	}
	return n
}

// MaxGranted bounds how far Granted counts.
const MaxGranted = 1 << 22

// Used returns the part of its quota that a client used: the units it was
// allowed over those that the server would have granted it from its first to its
// last arrival. a is what one client sent, or several on one quota; fresh is as
// for Granted. NaN for no arrivals.
func (a Arrivals) Used(fresh Limiter) float64 {
	if len(a) == 0 {
		return math.NaN()
	}
	var used int64
	for _, x := range a.Allowed() {
		used += x.Cost
	}
	first := a[0].Time
	return float64(used) / float64(Granted(fresh, first, a[len(a)-1].Time.Sub(first)))
}

// granted takes one unit at the first instant from at on at which l allows it.
// false: l refuses without saying until when. A Limiter that can forecast is not
// asked before, because a strict one charges for that.
func granted(l Limiter, at time.Time) (time.Time, bool) {
	if f, ok := l.(forecaster); ok {
		var ever bool
		if at, ever = forecast(f, at); !ever {
			return at, false
		}
	}
	for {
		d := l.Take(at, "", 1)
		if d.Allowed {
			return at, true
		}
		if d.RetryAfter <= 0 {
			return at, false
		}
		at = at.Add(d.RetryAfter)
	}
}

// forecast asks again at the time foretold, as a quota may have changed by then.
func forecast(f forecaster, at time.Time) (time.Time, bool) {
	for {
		next, ever := f.next(at, "", 1)
		if !ever || !next.After(at) {
			return next, ever
		}
		at = next
	}
}
