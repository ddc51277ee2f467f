package ratelimittest

import (
	"errors"
	"math"
	"time"
)

// Optimum returns the time that a clairvoyant, greedy client needs for the batch, from start to the last
// response. No client can be faster. Each request arrives at the first instant at which a worker is free and
// l allows it. The worker sends it half of latency before. Each request costs 1. 0 or negative latency: none.
//
// Optimum simulates the batch, without waiting, on a fresh Limiter like l, see Fresher. If l is not a
// Fresher, Optimum uses l itself; l must not have decided anything yet, and is of no use afterwards. A nil l
// limits nothing. start matters to windows that are aligned to the clock.
//
// Optimum panics if the batch would never end, because l refuses a request without RetryAfter. It also panics
// if the end cannot be found: l refuses a request 1024 times in a row at the times that it announced, or its
// quota changes 1024 times before it allows the request.
func (b Batch) Optimum(l Limiter, start time.Time, latency time.Duration) time.Duration {
	took, err := b.optimum(l, start, latency, 1)
	if err != nil {
		panic("ratelimittest: Optimum: " + err.Error())
	}
	return took
}

// optimum is Optimum for requests of any cost. It returns an error where Optimum panics.
func (b Batch) optimum(l Limiter, start time.Time, latency time.Duration, cost int64) (time.Duration, error) {
	if b.Requests <= 0 {
		return 0, nil
	}
	l = freshOrSame(l)
	there := max(latency, 0) / 2
	back := max(latency, 0) - there
	free := make([]time.Time, min(b.workers(), b.Requests)) // when each worker is free, in ascending order from the next one on
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
		if at, err = takeNext(l, at, cost); err != nil {
			return 0, err
		}
		*worker = at.Add(back)
	}
	return at.Add(back).Sub(start), nil
}

// Granted returns how many requests of cost 1 a greedy client gets from a Limiter like l between start and
// start+d, both included. It returns 0 for a negative d, and math.MaxInt64 for a nil l. If l refuses without
// RetryAfter, the requests up to then are counted. See Batch.Optimum for which Limiter is used, and when
// Granted panics because the time of the next grant cannot be found. l must refuse at some point, or Granted
// does not return.
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

// grants is Granted for requests of any cost, and stops at limit requests. It returns an error if l refuses
// before the end and the time of the next grant is not known.
func grants(l Limiter, start time.Time, d time.Duration, cost, limit int64) (n int64, err error) {
	l = freshOrSame(l)
	end := start.Add(d)
	for at := start; n < limit; n++ {
		at, err = takeNext(l, at, cost)
		switch {
		case at.After(end):
			return n, nil
		case err != nil:
			return n, err
		}
	}
	return n, nil
}

// maxGrants bounds the work of Used, to about a second.
const maxGrants = 1 << 18

// Used returns the share of the quota that a client used. It is the client's allowed units, over the units
// that the server would have granted from the client's first to its last request. a contains the requests of
// one client, or of several that share one quota. See Batch.Optimum for which Limiter is used. The grants are
// counted in units as large as the costs allow: costs of 20 and 30 count in steps of 10.
//
// Used returns NaN for no requests, and for a nil l. It also returns NaN if l would grant 262,144 steps or
// more, refuses without RetryAfter, as a Concurrency does, or is one for which Batch.Optimum panics.
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
	n, err := grants(l, first, a[len(a)-1].Time.Sub(first), each, maxGrants)
	if err != nil || n == maxGrants {
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

// takeNext takes cost units at the first instant, from at on, at which l allows that, and returns the
// instant. If it fails, l refuses up to the returned time. A forecaster is not asked before that instant,
// because a strict one charges refused requests.
func takeNext(l Limiter, at time.Time, cost int64) (time.Time, error) {
	if l == nil {
		return at, nil
	}
	if f, ok := asForecaster(l); ok {
		var err error
		if at, err = forecast(f, at, "", cost); err != nil {
			return at, err
		}
	}
	for range maxChanges {
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
