package pool

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"math"
	"net/http"
	"slices"
	"time"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/clock"
)

// A candidate is a member that may send a request.
type candidate struct {
	*member
	isTrial bool          // of a member that is left out
	rank    float64       // the lowest goes first
	req     *http.Request // as the member sends it
	delay   time.Duration // until it could go
}

// pick waits until a member is chosen.
//
// A request does not leave the queue of a Transport for that of another one. So one that cannot go at once waits here while
// a member has had no response: until there is one, or for its turn at another member.
func (t *Transport) pick(req *http.Request, tried []*member) (*candidate, error) {
	session, stay := "", time.Duration(0)
	if t.Affinity != nil {
		session, stay = t.Affinity(req)
	}
	if deadline, ok := req.Context().Deadline(); ok {
		stay = min(stay, deadline.Sub(clock.Wall())/2) // the response takes some time, too
	}
	mayTry := len(tried) == 0 && (req.Body == nil || req.Body == http.NoBody || req.GetBody != nil)
	for order := t.order(req, session, tried); len(order) > 0; {
		c, news := t.choose(order, max(stay, 0), mayTry)
		if news == nil {
			return c, nil
		}
		select {
		case <-news:
		case <-clock.NewTimer(c.delay).C:
		case <-req.Context().Done():
			return nil, context.Cause(req.Context())
		}
	}
	return nil, errors.New("pool: no Members")
}

// order prepares the request for each member that was not tried, and returns them in the order of preference: chance or the
// session decides. No lock is held, as Prepare is the caller's code.
func (t *Transport) order(req *http.Request, session string, tried []*member) (all []*candidate) {
	for _, m := range t.members {
		if slices.Contains(tried, m) {
			continue
		}
		c := &candidate{member: m, rank: t.rank(m, session), req: req.Clone(req.Context())}
		if all = append(all, c); m.Prepare != nil {
			m.Prepare(c.req)
		}
	}
	slices.SortFunc(all, func(a, b *candidate) int { return cmp.Compare(a.rank, b.rank) })
	return all
}

// choose books a candidate. If the request has to wait before, choose returns the news to wait for.
func (t *Transport) choose(order []*candidate, stay time.Duration, mayTry bool) (*candidate, <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	order = eligible(order, mayTry)
	c, isEarly := soonEnough(order, stay)
	if isEarly && c.delay > 0 && len(order) > 1 {
		return c, t.news
	}
	c.calls++
	c.entering.Add(1)
	return c, nil
}

// eligible returns the candidates that are not left out. A member to be tried is the only one, and so is the one to be tried
// next if all are left out.
func eligible(order []*candidate, mayTry bool) (open []*candidate) {
	next, now := order[0], clock.Wall()
	for _, c := range order {
		switch {
		case c.pause == 0:
			open = append(open, c)
		case next.pause == 0 || c.due.Before(next.due):
			next = c
		}
	}
	if next.pause > 0 && mayTry && !now.Before(next.due) { // no other request tries it meanwhile, or if this one would wait
		next.due, next.isTrial = now.Add(max(next.pause, time.Minute)), !next.ask() && next.delay == 0
	}
	if next.isTrial || len(open) == 0 {
		return []*candidate{next}
	}
	return open
}

// rank draws an exponentially distributed number with mean 1/Weight, so that a member comes first with the probability of its
// part of the weights. In a session the number follows from the names: this is weighted rendezvous hashing, and a session
// keeps its order of the members when others come or go.
func (t *Transport) rank(m *member, session string) float64 {
	part := t.chance()
	if session != "" {
		sum := sha256.Sum256([]byte(m.Name + "\x00" + session))
		part = float64(binary.BigEndian.Uint64(sum[:])>>11) / (1 << 53)
	}
	return -math.Log1p(-part) / m.Weight
}

// soonEnough asks the candidates in turn, and returns the first one that can send as soon as any other or, in a session, up to
// stay later. isEarly says that one of those asked cannot tell before its first response.
func soonEnough(order []*candidate, stay time.Duration) (c *candidate, isEarly bool) {
	soonest := time.Duration(math.MaxInt64)
	for _, c := range order {
		isEarly = c.ask() || isEarly
		if c.delay <= stay {
			return c, isEarly
		}
		soonest = min(soonest, c.delay)
	}
	return order[slices.IndexFunc(order, func(c *candidate) bool { return c.delay-soonest <= stay })], isEarly
}

// ask asks when the request could go behind the others that are entering.
func (c *candidate) ask() (isEarly bool) {
	entering := int(c.entering.Load())
	f := c.Transport.Forecast(c.req, 1+entering)
	c.delay = max(0, f.Last.Sub(f.At)).Truncate(time.Millisecond) // reading the clock takes some time
	switch {
	case f.Last.IsZero() && f.Cause == headway.CauseCeiling:
		c.delay = math.MaxInt64
	case f.Last.IsZero() || f.Certainty == headway.CertaintyUnknown && (entering > 0 || c.delay > 0):
		c.delay = max(c.delay, time.Duration(max(c.calls, 1))*c.gap)
		return c.ended.IsZero()
	}
	return false
}

// An entry is the context of a request on its way into the queue of a Transport. Who waits for the end of the context is in
// the queue or beyond, as in net/http, so that forecasts count the request.
type entry struct {
	context.Context
	end func()
}

// Done implements [context.Context].
func (e *entry) Done() <-chan struct{} {
	e.end()
	return e.Context.Done()
}
