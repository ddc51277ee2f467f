package ratelimittest

import (
	"sync"
	"time"
)

// Ban returns a Limiter that decides as l and bans clients that keep sending refused requests. A client is
// banned when more than after requests in a row are refused. Its refusals then have Decision.Banned set, and
// Handler.Banned serves them. An allowed request ends the row.
//
// If length is positive, a banned client is refused until it has been silent for length: each request
// meanwhile renews the ban. These requests take no quota of l. RetryAfter is length, or longer if l would
// still refuse then. It is 0 for a cost that l never allows. If length is 0 or negative, a banned client is
// allowed as soon as l allows it.
//
//	// @fastify/rate-limit with ban: 2, and Handler.Banned = RefuseWith(403)
//	Ban(NewFixedWindow(100, time.Minute), 2, 0)
//	// @fastify/rate-limit with continueExceeding
//	Ban(NewFixedWindow(100, time.Minute), 0, time.Minute)
//	// mod_evasive of Apache, and Handler.Refuse = RefuseWith(403)
//	Hidden(Ban(NewFixedWindow(2, time.Second), 0, 10*time.Second))
//
// If after is 0 or negative, the first refusal is a ban. l alone decides about a cost of 0 or less, which
// neither renews a ban nor ends a row. l must not be used elsewhere. The returned Limiter is safe for
// concurrent use. It keeps state for at most MaxClients clients, the ones that were refused last.
func Ban(l Limiter, after int, length time.Duration) Limiter {
	b := &ban{limiter: l, after: max(after, 0), length: length}
	if areForecasters(l) {
		return &forecastingBan{b}
	}
	return b
}

type ban struct {
	limiter Limiter
	after   int
	length  time.Duration

	mu      sync.Mutex
	clients table[refusals] // guarded by mu
}

// refusals is the state of one client: the number of refusals in a row, and the end of the ban.
type refusals struct {
	n     int
	until time.Time
}

// A forecastingBan is a ban of a forecaster.
type forecastingBan struct{ *ban }

// Take implements Limiter.
func (b *ban) Take(now time.Time, client string, cost int64) Decision {
	if cost <= 0 {
		return b.limiter.Take(now, client, cost)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	r := b.clients.get(client, refusals{})
	isHeld := b.holds(now, r)
	if isHeld {
		cost = 0
	}
	d := b.limiter.Take(now, client, cost)
	if d.Allowed && !isHeld {
		if r.n > 0 {
			b.clients.remove(b.clients.byClient[client])
		}
		return d
	}
	r.n++
	d.Allowed, d.Banned = false, r.n > b.after
	if d.Banned && b.length > 0 {
		if until := now.Add(b.length); !isHeld || until.After(r.until) {
			r.until = until
		}
		if isHeld || d.RetryAfter > 0 {
			d.RetryAfter = max(d.RetryAfter, r.until.Sub(now))
		}
	}
	b.clients.put(client, now, r)
	return d
}

// Take implements Limiter.
func (b *forecastingBan) Take(now time.Time, client string, cost int64) Decision {
	d := b.ban.Take(now, client, cost)
	if !d.Allowed {
		d.RetryAfter = 0
		if at, ever := b.next(now, client, cost); ever {
			d.RetryAfter = at.Sub(now)
		}
	}
	return d
}

// holds reports whether a client with these refusals is kept out now.
func (b *ban) holds(now time.Time, r refusals) bool {
	return b.length > 0 && r.n > b.after && now.Before(r.until)
}

// Release implements Releaser.
func (b *ban) Release(now time.Time, client string, cost int64) {
	release(b.limiter, now, client, cost)
}

func (b *forecastingBan) next(now time.Time, client string, cost int64) (time.Time, bool) {
	at, ever := b.limiter.(forecaster).next(now, client, cost)
	if cost <= 0 || !ever {
		return at, ever
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if r := b.clients.get(client, refusals{}); b.holds(now, r) {
		at = later(at, r.until)
	}
	return at, true
}

func (b *forecastingBan) change(now time.Time) time.Time { return b.limiter.(forecaster).change(now) }
