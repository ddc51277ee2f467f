package ratelimittest

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// A forecaster is a Limiter that can tell without being asked for anything. All
// algorithms of this package are forecasters, and what is made of forecasters
// alone; for others the figures have to ask. See forecasts.
type forecaster interface {
	// next returns the first instant from now on at which Take would allow client
	// cost units, if nobody asks in between and the rules stay as they are now, and
	// false if it never would. It is what a server can tell.
	next(now time.Time, client string, cost int64) (time.Time, bool)
	// change returns when the rules become others, such as a quota that recovers or
	// a push-back that begins. Not after now: never.
	change(now time.Time) time.Time
}

// forecasts returns l as a forecaster, if it is one. It goes by the types, because one
// of a test's own that embeds a forecaster has the methods too, and yet decides otherwise.
func forecasts(l Limiter) (forecaster, bool) {
	switch l.(type) {
	case *FixedWindow, *Linear, *Exponential, *SlidingLog, *SlidingCounter, *TokenBucket, *Concurrency,
		*foreseenAll, *foreseenInstead, *foreseenPushBack, *foreseenBan, *foretold:
		f, ok := l.(forecaster)
		return f, ok
	}
	return nil, false
}

func areForecasters(ls ...Limiter) bool {
	return !slices.ContainsFunc(ls, func(l Limiter) bool {
		_, ok := forecasts(l)
		return !ok
	})
}

// mostChanges is how many changes to come foresee looks at.
const mostChanges = 1 << 10

var (
	errNever = errors.New("the limiter refuses without telling until when")
	// errUnforeseen is of a time up to which a request is refused, and after which it
	// may or may not be.
	errUnforeseen = fmt.Errorf("it is not known when the limiter allows a request: its rules change %d times before, or it puts one off as often", mostChanges)
)

// foresee is next of one that knows all changes to come.
func foresee(f forecaster, now time.Time, client string, cost int64) (time.Time, error) {
	for range mostChanges {
		at, ever := f.next(now, client, cost)
		if ever && at.Equal(now) {
			return at, nil
		}
		change := f.change(now)
		switch {
		case ever && (!change.After(now) || at.Before(change)):
			return at, nil
		case !change.After(now):
			return now, errNever
		}
		now = change
	}
	return now, errUnforeseen
}

// sooner returns the earlier one of two changes, of which one that is not after
// now is none.
func sooner(now, a, b time.Time) time.Time {
	if !a.After(now) || b.After(now) && b.Before(a) {
		return b
	}
	return a
}
