package ratelimittest

import (
	"fmt"
	"slices"
	"sync"
	"time"
)

// All returns a Limiter that enforces several policies at once, such as 10 per
// second and 300 per minute: a request needs quota of each of them, or it takes
// of none. Limits has those of all, in the order given, and RetryAfter is the
// longest of those of the parts that refuse. There is none if one of them has
// none: it never allows the request, or is Hidden. Parts of equal names, such as
// two without one or two that Draft10 writes alike, are told apart by a number:
// default, default 2. Without parts every request is allowed.
//
// With a Concurrency among the parts, Batch.Optimum panics for a batch of more requests
// than that has places, and Figures.Optimum and Used are not known, though it may never
// have refused any: nobody can foresee a Release. A limit on requests in flight that the
// figures are to leave out is a Handler of its own, the Scenario's Next.
//
// All parts count the same cost. Where one counts requests and another bytes or
// tokens, one Handler is the Next of another, see BytesOf.
//
// A part that is not of this package, or is made of one that is not, is asked
// before the others, because it does not tell whether it would allow a request
// without taking its quota; what it has taken is lost if another part refuses,
// unless it is a Releaser. The parts must not be used elsewhere.
func All(parts ...Limiter) Limiter {
	a := &all{parts: slices.Clone(parts)}
	if areForecasters(parts...) {
		return &foreseenAll{a}
	}
	return a
}

type all struct {
	parts []Limiter
	mu    sync.Mutex // makes of many decisions one
}

// A foreseenAll is an all of forecasters.
type foreseenAll struct{ *all }

// Take implements Limiter.
func (a *all) Take(now time.Time, client string, cost int64) Decision {
	a.mu.Lock()
	defer a.mu.Unlock()
	decisions := make([]Decision, len(a.parts))
	refuses := make([]bool, len(a.parts))
	for i, l := range a.parts {
		if f, ok := forecasts(l); ok {
			at, ever := f.next(now, client, cost)
			refuses[i] = !ever || at.After(now)
		} else {
			decisions[i] = l.Take(now, client, cost)
			refuses[i] = !decisions[i].Allowed
		}
	}
	allowed := !slices.Contains(refuses, true)
	for i, l := range a.parts {
		switch _, ok := forecasts(l); {
		case ok && (allowed || refuses[i]):
			decisions[i] = l.Take(now, client, cost)
		case ok:
			decisions[i] = l.Take(now, client, 0) // another one refuses
		case !allowed && !refuses[i]:
			release(l, now, client, cost)
		}
	}
	return join(allowed, decisions)
}

// join makes one decision of those of the parts.
func join(allowed bool, parts []Decision) Decision {
	d := Decision{Allowed: allowed}
	told := true // by all that refuse
	for _, part := range parts {
		d.Limits = appendNamed(d.Limits, part.Limits)
		if !part.Allowed {
			d.Allowed = false
			d.Banned = d.Banned || part.Banned
			d.RetryAfter = max(d.RetryAfter, part.RetryAfter)
			told = told && part.RetryAfter > 0
		}
	}
	if !told {
		d.RetryAfter = 0
	}
	return d
}

// appendNamed appends limits to all, with names that differ also where they are
// written as structured fields.
func appendNamed(all, limits []Limit) []Limit {
	for _, l := range limits {
		name := l.Policy
		taken := func(x Limit) bool {
			return sfString(x.Policy) == sfString(l.Policy) && x.PartitionKey == l.PartitionKey
		}
		for n := 2; slices.ContainsFunc(all, taken); n++ {
			l.Policy = fmt.Sprintf("%s %d", name, n)
		}
		all = append(all, l)
	}
	return all
}

// Release implements Releaser. It waits for the decision under way: a part that
// refuses when it is asked must not have a free place when it is told to take.
func (a *all) Release(now time.Time, client string, cost int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, l := range a.parts {
		release(l, now, client, cost)
	}
}

// next is when the last one allows it: what one allows it goes on to allow, until
// it is asked or its rules change.
func (a *foreseenAll) next(now time.Time, client string, cost int64) (time.Time, bool) {
	last := now
	for _, l := range a.parts {
		at, ever := l.(forecaster).next(now, client, cost)
		if !ever {
			return now, false
		}
		last = later(last, at)
	}
	return last, true
}

func (a *foreseenAll) change(now time.Time) (at time.Time) {
	for _, l := range a.parts {
		at = sooner(now, at, l.(forecaster).change(now))
	}
	return at
}
