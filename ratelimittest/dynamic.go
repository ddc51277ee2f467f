package ratelimittest

import "time"

// LowerQuota returns a Policy.QuotaAt: a quota that is lower from from until
// until, and then recovers. What clients have used stays used: a window's
// count, say, may be above the lower quota. Both are told as q, and a client is
// told the time to come back by the quota of the moment.
//
// A zero until: it stays lower. One that is otherwise not after from: it is never
// lower.
func LowerQuota(quota, lower int64, from, until time.Time) func(now time.Time) (int64, time.Time) {
	s := span{from, until}
	return func(now time.Time) (int64, time.Time) {
		if s.has(now) {
			return lower, s.change(now)
		}
		return quota, s.change(now)
	}
}

// Instead returns a Limiter that is other from from until until, and otherwise l:
// a policy that gives way to another one, with a window of its own, as in
// draft-ietf-httpapi-ratelimit-headers-10 (Appendix B.2.3). Each counts what it
// is asked for itself. A zero until: other for good. One that is otherwise not
// after from: l always.
//
// A refusal has the RetryAfter of the one that decides, and nothing is told of
// when it gives way, after which the request may be allowed much earlier, or
// refused again.
//
// Instead does not hand Release on, because it does not know which of the two
// allowed a request. A Concurrency belongs beside it, as in
// All(NewConcurrency(8), Instead(l, other, from, until)).
func Instead(l, other Limiter, from, until time.Time) Limiter {
	i := &instead{usual: l, other: other, span: span{from, until}}
	if areForecasters(l, other) {
		return &foreseenInstead{i}
	}
	return i
}

type instead struct {
	usual, other Limiter
	span         span
}

// A foreseenInstead is an instead of two forecasters.
type foreseenInstead struct{ *instead }

// Take implements Limiter.
func (i *instead) Take(now time.Time, client string, cost int64) Decision {
	return i.at(now).Take(now, client, cost)
}

// at returns which one decides now.
func (i *instead) at(now time.Time) Limiter {
	if i.span.has(now) {
		return i.other
	}
	return i.usual
}

func (i *foreseenInstead) next(now time.Time, client string, cost int64) (time.Time, bool) {
	return i.at(now).(forecaster).next(now, client, cost)
}

func (i *foreseenInstead) change(now time.Time) time.Time {
	return sooner(now, i.span.change(now), i.at(now).(forecaster).change(now))
}
