package ratelimittest

import (
	"errors"
	"math"
	"time"

	"github.com/headway-go/headway/internal/meter"
)

// Optimum returns the time that a clairvoyant, greedy client needs for the batch, from start to the last
// response. No client can be faster. Each request arrives at the first instant at which a worker is free and
// l allows it. The worker sends it half of latency before. Each request costs 1. 0 or negative latency: none.
//
// Optimum simulates the batch, without waiting, on a fresh Limiter like l. If l has no Fresh, Optimum uses l itself; l
// must not have decided anything yet, and is of no use afterwards. A nil l limits nothing. start matters to windows
// that are aligned to the clock.
//
// Optimum is negative if it is not known. Then the batch has no number of Requests, or l refuses a request without
// RetryAfter, or 1024 times in a row at the times that it announced. Optimum is too long if a QuotaAt rises meanwhile.
func (b Batch) Optimum(l Limiter, start time.Time, latency time.Duration) time.Duration {
	return b.optimum(l, start, latency, 1)
}

// optimum is Optimum for requests of any cost.
func (b Batch) optimum(l Limiter, start time.Time, latency time.Duration, cost int64) time.Duration {
	switch {
	case b.For > 0:
		return -1
	case b.Requests <= 0:
		return 0
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
		at = meter.Later(at, worker.Add(there))
		var err error
		if at, err = takeNext(l, at, cost); err != nil {
			return -1
		}
		*worker = at.Add(back)
	}
	return at.Add(back).Sub(start)
}

// maxGrants bounds the work of Used, to about a second.
const maxGrants = 1 << 18

// Used returns the share of the quota that a client used. It is the client's allowed units, over the units
// that the server would have granted from the client's first to its last request. a contains the requests of
// one client, or of several that share one quota. See Batch.Optimum for which Limiter is used. The grants are
// counted in units as large as the costs allow: costs of 20 and 30 count in steps of 10.
//
// Used returns NaN for no requests, and for a nil l. It also returns NaN if l would grant 262,144 steps or
// more, or if Batch.Optimum would not be known.
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
	n, err := grants(freshOrSame(l), a[0].Time, a[len(a)-1].Time, each)
	if err != nil || n == maxGrants {
		return math.NaN()
	}
	return used / (float64(n) * float64(each))
}

// grants returns how many requests a greedy client gets from l between start and end, both included, and at most
// maxGrants.
func grants(l Limiter, start, end time.Time, cost int64) (n int64, err error) {
	for at := start; n < maxGrants; n++ {
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

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// maxRefusals is how often takeNext tries.
const maxRefusals = 1 << 10

var errUnforeseen = errors.New("it is not known when the limiter allows a request")

// takeNext takes cost units at the first instant, from at on, at which l allows that, and returns the
// instant. If it fails, l refuses up to the returned time. A foreseer is asked without effect before, because a
// strict one charges refused requests.
func takeNext(l Limiter, at time.Time, cost int64) (time.Time, error) {
	if l == nil {
		return at, nil
	}
	for range maxRefusals {
		d, isDry := foresee(l, at, "", cost)
		if d.Allowed && isDry {
			d = l.Take(at, "", cost)
		}
		switch {
		case d.Allowed:
			return at, nil
		case d.RetryAfter <= 0:
			return at, errUnforeseen
		}
		at = at.Add(d.RetryAfter)
	}
	return at, errUnforeseen
}
