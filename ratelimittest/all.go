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
// RetryAfter of the parts that refuse. It is 0 if one of these has none.
//
// All parts count the same cost. If one counts requests and another bytes or tokens, use two Handlers, one as
// the Next of the other.
//
// A part that is not built from this package alone decides before the other parts. It cannot say whether it
// would allow a request without taking quota. If another part then refuses, that quota is lost, unless the
// part has a Release. The parts must not be used elsewhere.
func All(parts ...Limiter) Limiter { return &all{parts: slices.Clone(parts)} }

type all struct {
	parts []Limiter
	mu    sync.Mutex // one decision at a time, over all parts
}

// Take implements Limiter.
func (a *all) Take(now time.Time, client string, cost int64) Decision {
	return a.take(now, client, cost, false)
}

func (a *all) take(now time.Time, client string, cost int64, dry bool) Decision {
	a.mu.Lock()
	defer a.mu.Unlock()
	decisions, areDry := make([]Decision, len(a.parts)), make([]bool, len(a.parts))
	allowed := true
	for i, l := range a.parts {
		decisions[i], areDry[i] = foresee(l, now, client, cost)
		allowed = allowed && decisions[i].Allowed
	}
	if dry {
		return join(allowed, decisions)
	}
	for i, l := range a.parts {
		switch {
		case areDry[i] && (allowed || !decisions[i].Allowed):
			decisions[i] = l.Take(now, client, cost)
		case areDry[i]:
			decisions[i] = l.Take(now, client, 0) // cost 0 only reports, as another part refuses
		case !allowed && decisions[i].Allowed:
			release(l, now, client, cost)
		}
	}
	return join(allowed, decisions)
}

// foresees reports whether a dry decision takes nothing.
func (a *all) foresees() bool {
	return !slices.ContainsFunc(a.parts, func(l Limiter) bool { _, ok := asForeseer(l); return !ok })
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

// Release waits for a Take in progress. Otherwise a part could refuse when asked, and have a free place when All
// calls its Take.
func (a *all) Release(now time.Time, client string, cost int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, l := range a.parts {
		release(l, now, client, cost)
	}
}

// Fresh returns nil if a part has no Fresh.
func (a *all) Fresh() Limiter {
	parts := make([]Limiter, len(a.parts))
	for i, l := range a.parts {
		if parts[i] = fresh(l); parts[i] == nil {
			return nil
		}
	}
	return All(parts...)
}
