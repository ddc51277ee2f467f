package ratelimittest

import "time"

// LowerQuota returns a Policy.QuotaAt for a quota that is lower in [from, until), and then recovers. Used
// quota stays used: the count of a window may be above the lower quota. Responses report the quota of the
// moment as q, and RetryAfter is calculated with it.
//
// If until is zero, the quota stays lower. If until is another time that is not after from, the quota never
// changes.
func LowerQuota(quota, lower int64, from, until time.Time) func(now time.Time) (int64, time.Time) {
	s := span{from, until}
	return func(now time.Time) (int64, time.Time) {
		if s.has(now) {
			return lower, s.change(now)
		}
		return quota, s.change(now)
	}
}

// Instead returns a Limiter that decides as other in [from, until), and as l at all other times. It is a
// policy that is replaced by one with another window, as in draft-ietf-httpapi-ratelimit-headers-10 (Appendix
// B.2.3). Each of the two counts only the requests about which it decides. If until is zero, other decides
// for good. If until is another time that is not after from, l always decides.
//
// RetryAfter comes from the limiter that decides, and does not foresee a change of limiters. After the change
// the request may be allowed much earlier, or be refused again.
//
// Instead does not forward Release, because it does not know which of the two allowed a request. Combine it
// with a Concurrency by All, as in All(NewConcurrency(8), Instead(l, other, from, until)).
func Instead(l, other Limiter, from, until time.Time) Limiter {
	i := &instead{usual: l, other: other, span: span{from, until}}
	if areForecasters(l, other) {
		return &forecastingInstead{i}
	}
	return i
}

type instead struct {
	usual, other Limiter
	span         span
}

// A forecastingInstead is an instead of two forecasters.
type forecastingInstead struct{ *instead }

// Take implements Limiter.
func (i *instead) Take(now time.Time, client string, cost int64) Decision {
	return i.at(now).Take(now, client, cost)
}

// at returns the limiter that decides at the time now.
func (i *instead) at(now time.Time) Limiter {
	if i.span.has(now) {
		return i.other
	}
	return i.usual
}

func (i *forecastingInstead) next(now time.Time, client string, cost int64) (time.Time, bool) {
	return i.at(now).(forecaster).next(now, client, cost)
}

func (i *forecastingInstead) change(now time.Time) time.Time {
	return earlierChange(now, i.span.change(now), i.at(now).(forecaster).change(now))
}
