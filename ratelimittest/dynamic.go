package ratelimittest

import "time"

// LowerQuota returns a Policy.QuotaAt: a quota that is lower from from until
// until, and then recovers. What clients have used stays used: a window's
// count, say, may be above the lower quota. Both are told as q, and a client is
// told the time to come back by the quota of the moment.
//
// A zero until: it stays lower. One that is otherwise not after from: it is never
// lower.
func LowerQuota(quota, lower int64, from, until time.Time) func(now time.Time) int64 {
	s := span{from, until}
	return func(now time.Time) int64 {
		if s.has(now) {
			return lower
		}
		return quota
	}
}

// Instead returns a Limiter that is other from from until until, and otherwise l:
// a policy that gives way to another one, with a window of its own, as in
// draft-ietf-httpapi-ratelimit-headers-10 (Appendix B.2.3). Each counts what it
// is asked for itself. A zero until: other for good. One that is otherwise not
// after from: l always.
//
// Instead does not hand Release on, because it does not know which of the two
// allowed a request. A Concurrency belongs beside it, as in
// All(NewConcurrency(8), Instead(l, other, from, until)).
func Instead(l, other Limiter, from, until time.Time) Limiter {
	i := &instead{usual: l, other: other, span: span{from, until}}
	_, usual := l.(forecaster)
	_, unusual := other.(forecaster)
	if usual && unusual {
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
	l, _ := i.at(now)
	return l.Take(now, client, cost)
}

// at returns which one decides now, and until when; zero: for good.
func (i *instead) at(now time.Time) (Limiter, time.Time) {
	switch {
	case i.span.has(now):
		return i.other, i.span.until
	case now.Before(i.span.from):
		return i.usual, i.span.from
	}
	return i.usual, time.Time{}
}

// next asks one after the other for the time in which it decides.
func (i *foreseenInstead) next(now time.Time, client string, cost int64) (time.Time, bool) {
	for {
		l, end := i.at(now)
		at, ever := l.(forecaster).next(now, client, cost)
		if end.IsZero() || ever && at.Before(end) {
			return at, ever
		}
		now = end
	}
}
