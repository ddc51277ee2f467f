package ratelimittest

import (
	"fmt"
	"slices"
	"sync"
	"time"
)

// All returns a Limiter that enforces several policies at once, such as 10 per second and 300 per minute. A
// request is allowed if every part allows it. If one refuses, the parts that would allow it count nothing.
// Without parts, every request is allowed.
//
// Limits contains the limits of all parts, in the order of the parts. Parts with equal names get a number,
// such as default and default 2; names are also equal if Draft10 writes them alike. RetryAfter is the longest
// RetryAfter of the parts that refuse. It is 0 if one of these has none, because it never allows the request
// or is Hidden.
//
// All parts count the same cost. If one counts requests and another bytes or tokens, use two Handlers, one as
// the Next of the other, see BytesOf.
//
// A Concurrency among the parts has no known future, because nobody can foresee a Release. Batch.Optimum
// panics for a batch of more requests than the Concurrency has places. Figures.Optimum and Used are not
// known, even if the Concurrency never refused a request. To keep these figures, limit the requests in flight
// by another Handler, as the Scenario's Next.
//
// A part that is not built from this package alone decides before the other parts. It cannot say whether it
// would allow a request without taking quota. If another part then refuses, that quota is lost, unless the
// part is a Releaser. The parts must not be used elsewhere.
func All(parts ...Limiter) Limiter {
	a := &all{parts: slices.Clone(parts)}
	if areForecasters(parts...) {
		return &forecastingAll{a}
	}
	return a
}

type all struct {
	parts []Limiter
	mu    sync.Mutex // one decision at a time, over all parts
}

// A forecastingAll is an all of forecasters.
type forecastingAll struct{ *all }

// Take implements Limiter.
func (a *all) Take(now time.Time, client string, cost int64) Decision {
	a.mu.Lock()
	defer a.mu.Unlock()
	decisions := make([]Decision, len(a.parts))
	refuses := make([]bool, len(a.parts))
	for i, l := range a.parts {
		if f, ok := asForecaster(l); ok {
			at, ever := f.next(now, client, cost)
			refuses[i] = !ever || at.After(now)
		} else {
			decisions[i] = l.Take(now, client, cost)
			refuses[i] = !decisions[i].Allowed
		}
	}
	allowed := !slices.Contains(refuses, true)
	for i, l := range a.parts {
		switch _, ok := asForecaster(l); {
		case ok && (allowed || refuses[i]):
			decisions[i] = l.Take(now, client, cost)
		case ok:
			decisions[i] = l.Take(now, client, 0) // cost 0 only reports, as another part refuses
		case !allowed && !refuses[i]:
			release(l, now, client, cost)
		}
	}
	return join(allowed, decisions)
}

// join combines the decisions of the parts.
func join(allowed bool, parts []Decision) Decision {
	d := Decision{Allowed: allowed}
	allKnown := true // every part that refuses has a RetryAfter
	for _, part := range parts {
		d.Limits = appendNamed(d.Limits, part.Limits)
		if !part.Allowed {
			d.Allowed = false
			d.Banned = d.Banned || part.Banned
			d.RetryAfter = max(d.RetryAfter, part.RetryAfter)
			allKnown = allKnown && part.RetryAfter > 0
		}
	}
	if !allKnown {
		d.RetryAfter = 0
	}
	return d
}

// appendNamed appends limits to all. It numbers equal names, so that they also differ as structured fields.
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

// Release implements Releaser. It waits for a Take in progress. Otherwise a part could refuse when asked, and
// have a free place when All calls its Take.
func (a *all) Release(now time.Time, client string, cost int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, l := range a.parts {
		release(l, now, client, cost)
	}
}

// next returns the latest of the parts' times. A part that would allow the request goes on to allow it, until
// a request arrives or its rules change.
func (a *forecastingAll) next(now time.Time, client string, cost int64) (time.Time, bool) {
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

func (a *forecastingAll) change(now time.Time) (at time.Time) {
	for _, l := range a.parts {
		at = earlierChange(now, at, l.(forecaster).change(now))
	}
	return at
}
