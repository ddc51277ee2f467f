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
// time until all would allow the request. There is none if one that refuses has
// none: it never allows the request, or is Hidden. Parts of equal names, such as
// two without one or two that Draft10 writes alike, are told apart by a number:
// default, default 2. Without parts every request is allowed.
//
// All parts count the same cost. Where one counts requests and another bytes or
// tokens, one Handler is the Next of another, see BytesOf.
//
// A part that is not of this package is asked before the others, because it does
// not tell whether it would allow a request without taking its quota; what it
// has taken is lost if another part refuses, unless it is a Releaser. The parts
// must not be used elsewhere.
func All(parts ...Limiter) Limiter {
	return &all{parts: parts}
}

type all struct {
	parts []Limiter
	mu    sync.Mutex // makes of many decisions one
}

// Take implements Limiter.
func (a *all) Take(now time.Time, client string, cost int64) Decision {
	a.mu.Lock()
	defer a.mu.Unlock()
	allowed := true
	decisions := make([]Decision, len(a.parts))
	for i, l := range a.parts {
		if _, ok := l.(forecaster); !ok {
			decisions[i] = l.Take(now, client, cost)
			allowed = allowed && decisions[i].Allowed
		}
	}
	refuses := make([]bool, len(a.parts))
	for i, l := range a.parts {
		if f, ok := l.(forecaster); ok {
			at, ever := f.next(now, client, cost)
			refuses[i] = !ever || at.After(now)
			allowed = allowed && !refuses[i]
		}
	}
	for i, l := range a.parts {
		if _, ok := l.(forecaster); !ok {
			if decisions[i].Allowed && !allowed {
				release(l, now, client, cost)
			}
			continue
		}
		take := cost
		if !allowed && !refuses[i] {
			take = 0 // another one refuses
		}
		decisions[i] = l.Take(now, client, take)
	}
	return a.join(now, client, cost, allowed, decisions)
}

// join makes one decision of those of the parts.
func (a *all) join(now time.Time, client string, cost int64, allowed bool, parts []Decision) Decision {
	d := Decision{Allowed: allowed}
	told := true // by all that refuse
	for _, part := range parts {
		d.Limits = appendNamed(d.Limits, part.Limits)
		if !part.Allowed {
			d.RetryAfter = max(d.RetryAfter, part.RetryAfter)
			told = told && part.RetryAfter > 0
		}
	}
	if allowed || !told {
		d.RetryAfter = 0
		return d
	}
	if at, ever := a.next(now, client, cost); ever {
		d.RetryAfter = max(d.RetryAfter, at.Sub(now))
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

// next asks until all agree: at the time that one of them names, another may
// have begun to refuse.
func (a *all) next(now time.Time, client string, cost int64) (time.Time, bool) {
	for agreed := false; !agreed; {
		agreed = true
		for _, l := range a.parts {
			f, ok := l.(forecaster)
			if !ok {
				continue
			}
			at, ever := f.next(now, client, cost)
			if !ever {
				return now, false
			}
			if at.After(now) {
				now, agreed = at, false
			}
		}
	}
	return now, true
}
