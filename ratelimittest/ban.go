package ratelimittest

import (
	"sync"
	"time"

	"github.com/headway-go/headway/internal/meter"
)

// Ban returns a Limiter that decides as l and bans clients that keep sending refused requests. A client is
// banned when more than after requests in a row are refused. Its refusals then have Decision.Banned set, and
// Handler.Banned serves them. An allowed request ends the row.
//
// If length is positive, a banned client is refused until it has been silent for length: each request meanwhile renews
// the ban. These requests take no quota of l. RetryAfter is length, or longer if l would still refuse then. It is 0 for
// a cost that l never allows. If length is 0 or negative, a banned client is allowed as soon as l allows it.
//
//	// @fastify/rate-limit with ban: 2, and Handler.Banned = Respond(403, "")
//	Ban(&FixedWindow{Policy: Per(100, time.Minute)}, 2, 0)
//	// @fastify/rate-limit with continueExceeding
//	Ban(&FixedWindow{Policy: Per(100, time.Minute)}, 0, time.Minute)
//	// mod_evasive of Apache, with Handler.Dialect = Silent and Handler.Refuse = Respond(403, "")
//	Ban(&FixedWindow{Policy: Per(2, time.Second)}, 0, 10*time.Second)
//
// If after is 0 or negative, the first refusal is a ban. l alone decides about a cost of 0 or less, which
// neither renews a ban nor ends a row. l must not be used elsewhere. The returned Limiter is safe for
// concurrent use. It keeps state for a bounded number of clients, the ones that were refused last.
func Ban(l Limiter, after int, length time.Duration) Limiter {
	return &ban{limiter: l, after: max(after, 0), length: length}
}

type ban struct {
	limiter Limiter
	after   int
	length  time.Duration

	mu      sync.Mutex
	clients meter.Table[refusals] // guarded by mu
}

// refusals is the state of one client: the number of refusals in a row, and the end of the ban.
type refusals struct {
	n     int
	until time.Time
}

// Take implements Limiter.
func (b *ban) Take(now time.Time, client string, cost int64) Decision {
	return b.take(now, client, cost, false)
}

func (b *ban) take(now time.Time, client string, cost int64, dry bool) Decision {
	b.mu.Lock()
	defer b.mu.Unlock()
	r := b.clients.Get(client, refusals{})
	isHeld := b.length > 0 && r.n > b.after && now.Before(r.until) && cost > 0
	d, wait := b.inner(now, client, cost, dry, isHeld)
	switch {
	case cost <= 0:
		return d
	case d.Allowed && !isHeld:
		if r.n > 0 && !dry {
			b.clients.Remove(client)
		}
		return d
	}
	return b.refuse(now, client, r, d, wait, dry, isHeld)
}

// refuse counts a refusal, and returns the decision with it. The limiter alone would refuse the request for wait.
func (b *ban) refuse(now time.Time, client string, r refusals, d Decision, wait time.Duration, dry, isHeld bool) Decision {
	r.n++
	d.Allowed, d.Banned = false, r.n > b.after
	d.RetryAfter = max(wait, 0)
	isLimited := d.Banned && b.length > 0
	if !dry {
		if until := now.Add(b.length); isLimited && (!isHeld || until.After(r.until)) {
			r.until = until
		}
		b.clients.Put(client, now, r)
	}
	if isLimited && wait >= 0 && (isHeld || !dry) {
		d.RetryAfter = max(wait, r.until.Sub(now))
	}
	return d
}

// inner returns the limiter's decision, and how long the limiter alone refuses the request: negative if it never
// allows it. A request that is held by a ban takes no quota.
func (b *ban) inner(now time.Time, client string, cost int64, dry, isHeld bool) (d Decision, wait time.Duration) {
	d = Decision{Allowed: true} // what is not known of a banned client counts as allowed
	switch f, foresees := asForeseer(b.limiter); {
	case foresees && (isHeld || dry):
		d = f.take(now, client, cost, true)
	case !isHeld:
		d = b.limiter.Take(now, client, cost)
	}
	if wait = d.RetryAfter; !d.Allowed && wait <= 0 {
		wait = -1
	}
	if isHeld {
		d = b.limiter.Take(now, client, 0)
	}
	return d, wait
}

// Release forwards to the limiter.
func (b *ban) Release(now time.Time, client string, cost int64) {
	release(b.limiter, now, client, cost)
}

// Fresh returns nil if the limiter has no Fresh.
func (b *ban) Fresh() Limiter {
	if l := fresh(b.limiter); l != nil {
		return Ban(l, b.after, b.length)
	}
	return nil
}
