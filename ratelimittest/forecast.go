package ratelimittest

import (
	"slices"
	"time"
)

// A forecaster is a Limiter that can tell without being asked for anything. All
// algorithms of this package are forecasters, and what is made of forecasters
// alone; for others the figures have to ask.
type forecaster interface {
	// next returns the first instant from now on at which Take would allow client
	// cost units, if nobody asks in between and the rules stay as they are now, and
	// false if it never would. It is what a server can tell.
	next(now time.Time, client string, cost int64) (time.Time, bool)
	// change returns when the rules become others, such as a quota that recovers or
	// a push-back that begins. Not after now: never.
	change(now time.Time) time.Time
}

func areForecasters(ls ...Limiter) bool {
	return !slices.ContainsFunc(ls, func(l Limiter) bool {
		_, ok := l.(forecaster)
		return !ok
	})
}

// mostChanges is how many changes to come foresee looks at.
const mostChanges = 1 << 10

// foresee is next of one that knows all changes to come. Rules that keep changing
// without ever allowing the request never do.
func foresee(f forecaster, now time.Time, client string, cost int64) (time.Time, bool) {
	for range mostChanges {
		at, ever := f.next(now, client, cost)
		change := f.change(now)
		if !change.After(now) || ever && at.Before(change) {
			return at, ever
		}
		now = change
	}
	return now, false
}

// sooner returns the earlier one of two changes, of which one that is not after
// now is none.
func sooner(now, a, b time.Time) time.Time {
	if !a.After(now) || b.After(now) && b.Before(a) {
		return b
	}
	return a
}
