package ratelimittest

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// A forecaster is a Limiter that knows when it will allow a request, without being asked to Take. All
// algorithms of this package are forecasters, and so are Limiters built from forecasters alone. The figures
// must call Take of other Limiters to find out. See asForecaster.
type forecaster interface {
	// next returns the first instant, from now on, at which Take would allow client cost units. It
	// assumes that no request arrives in between and that the rules stay as they are now, so a server
	// could report it as Retry-After. It returns false if Take would never allow that.
	next(now time.Time, client string, cost int64) (time.Time, bool)
	// change returns when the rules change next, such as a quota that recovers or a push-back that
	// begins. A time that is not after now means never.
	change(now time.Time) time.Time
}

// asForecaster returns l as a forecaster, if it is one. It checks for the types of this package. A type of a
// test's own that embeds a forecaster has the methods, too, but its Take may decide differently.
func asForecaster(l Limiter) (forecaster, bool) {
	switch l.(type) {
	case *FixedWindow, *Linear, *Exponential, *SlidingLog, *SlidingCounter, *TokenBucket, *Concurrency,
		*forecastingAll, *forecastingInstead, *forecastingPushBack, *forecastingBan, *forecastingAltered:
		f, ok := l.(forecaster)
		return f, ok
	}
	return nil, false
}

func areForecasters(ls ...Limiter) bool {
	return !slices.ContainsFunc(ls, func(l Limiter) bool {
		_, ok := asForecaster(l)
		return !ok
	})
}

// maxChanges is how many future changes of the rules forecast looks at.
const maxChanges = 1 << 10

var (
	errNever = errors.New("the limiter refuses without telling until when")
	// errUnforeseen means that requests are refused up to the returned time, and that the time after it
	// is unknown.
	errUnforeseen = fmt.Errorf("it is not known when the limiter allows a request: its rules change %d times before, or it puts one off as often", maxChanges)
)

// forecast is forecaster.next with all future changes of the rules.
func forecast(f forecaster, now time.Time, client string, cost int64) (time.Time, error) {
	for range maxChanges {
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

// earlierChange returns the earlier one of two changes. A time that is not after now is no change.
func earlierChange(now, a, b time.Time) time.Time {
	if !a.After(now) || b.After(now) && b.Before(a) {
		return b
	}
	return a
}
