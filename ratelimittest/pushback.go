package ratelimittest

import "time"

// PushBack returns a Limiter that decides as l, but refuses every request in [from, until), whatever its cost
// and whatever remains. It is a server that sheds load with Retry-After
// (draft-ietf-httpapi-ratelimit-headers-10, Appendix B.3). The refusals take no quota of l. The limits of l
// are reported as they are: r may be above 0, and t may be later than Retry-After.
//
// RetryAfter is the time to until, or longer if l would still refuse then. It is 0 for a cost that l never
// allows. Before from, nothing announces the push-back. If until is zero, the push-back never ends, and
// RetryAfter is 0. If until is another time that is not after from, there is no push-back.
func PushBack(l Limiter, from, until time.Time) Limiter {
	p := &pushBack{limiter: l, span: span{from, until}}
	if areForecasters(l) {
		return &forecastingPushBack{p}
	}
	return p
}

type pushBack struct {
	limiter Limiter
	span    span
}

// A forecastingPushBack is a pushBack of a forecaster.
type forecastingPushBack struct{ *pushBack }

// Take implements Limiter.
func (p *pushBack) Take(now time.Time, client string, cost int64) Decision {
	if !p.span.has(now) {
		return p.limiter.Take(now, client, cost)
	}
	d := p.limiter.Take(now, client, 0)
	d.Allowed, d.RetryAfter = false, 0
	if !p.span.until.IsZero() {
		d.RetryAfter = p.span.until.Sub(now)
	}
	return d
}

// Take implements Limiter.
func (p *forecastingPushBack) Take(now time.Time, client string, cost int64) Decision {
	d := p.pushBack.Take(now, client, cost)
	if p.span.has(now) {
		if at, ever := p.next(now, client, cost); ever {
			d.RetryAfter = at.Sub(now)
		} else if !p.possible(now, client, cost) {
			d.RetryAfter = 0
		}
	}
	return d
}

// possible reports whether the limiter would allow cost units if it were fresh. For a full Concurrency, next
// forecasts that it never allows more units, but a Release may change that.
func (p *forecastingPushBack) possible(now time.Time, client string, cost int64) bool {
	_, ever := fresh(p.limiter).(forecaster).next(now, client, cost)
	return ever
}

// Release implements Releaser.
func (p *pushBack) Release(now time.Time, client string, cost int64) {
	release(p.limiter, now, client, cost)
}

func (p *forecastingPushBack) next(now time.Time, client string, cost int64) (time.Time, bool) {
	at, ever := p.limiter.(forecaster).next(now, client, cost)
	switch {
	case !p.span.has(now):
		return at, ever
	case p.span.until.IsZero():
		return now, false
	}
	return later(at, p.span.until), ever
}

func (p *forecastingPushBack) change(now time.Time) time.Time {
	return earlierChange(now, p.span.change(now), p.limiter.(forecaster).change(now))
}
