package ratelimittest

import "time"

// PushBack returns a Limiter that decides as l, but refuses every request from
// from until until, of whatever cost and however much is left: a server that
// relieves itself by Retry-After (draft-ietf-httpapi-ratelimit-headers-10,
// Appendix B.3). The refusals take nothing of l, whose limits are told as they
// are, with r above 0 and a t that may be later than Retry-After.
//
// RetryAfter is the time to until, or longer if l tells that it would still
// refuse then; there is none for a cost that l never allows. Before from, nothing is told of what is to come. A zero until: the
// server pushes back for good, and tells no RetryAfter. One that is otherwise not
// after from: it never does.
func PushBack(l Limiter, from, until time.Time) Limiter {
	p := &pushBack{limiter: l, span: span{from, until}}
	if areForecasters(l) {
		return &foreseenPushBack{p}
	}
	return p
}

type pushBack struct {
	limiter Limiter
	span    span
}

// A foreseenPushBack is a pushBack of a forecaster.
type foreseenPushBack struct{ *pushBack }

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
func (p *foreseenPushBack) Take(now time.Time, client string, cost int64) Decision {
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

// possible returns whether the limiter would allow cost units if it had decided nothing
// yet: one that has may refuse them for ever by next, where a Release would help.
func (p *foreseenPushBack) possible(now time.Time, client string, cost int64) bool {
	_, ever := fresh(p.limiter).(forecaster).next(now, client, cost)
	return ever
}

// Release implements Releaser.
func (p *pushBack) Release(now time.Time, client string, cost int64) {
	release(p.limiter, now, client, cost)
}

func (p *foreseenPushBack) next(now time.Time, client string, cost int64) (time.Time, bool) {
	at, ever := p.limiter.(forecaster).next(now, client, cost)
	switch {
	case !p.span.has(now):
		return at, ever
	case p.span.until.IsZero():
		return now, false
	}
	return later(at, p.span.until), ever
}

func (p *foreseenPushBack) change(now time.Time) time.Time {
	return sooner(now, p.span.change(now), p.limiter.(forecaster).change(now))
}
