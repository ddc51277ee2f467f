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
	"sync"
	"time"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/clock"
)

// A candidate is a member that may send a request.
type candidate struct {
	*member
	isOut bool          // it is left out
	rank  float64       // the lowest goes first
	req   *http.Request // as the member sends it
	delay time.Duration // until it could go
}

// coldPause is when a Transport may send one more request, though it has had no response.
const coldPause = time.Second / 4

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
	for len(t.members) > 0 {
		c, news := t.choose(req, session, max(stay, 0), tried)
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

// choose books the first candidate that can send soon enough: as soon as any other or, in a session, up to stay later. If the
// request has to wait before, choose returns the news to wait for.
func (t *Transport) choose(req *http.Request, session string, stay time.Duration, tried []*member) (*candidate, <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	c, isCold := soonEnough(t.order(session, req, tried), req, stay)
	if isCold && c.delay > 0 {
		return c, t.news
	}
	c.calls++
	c.entering.Add(1)
	c.req = c.req.WithContext(&entry{Context: c.req.Context(), member: c.member})
	return c, nil
}

// order returns the candidates in the order of preference. First comes a member to be tried. Chance, or the session, decides
// about the others. If all members are left out, the one to be tried next is the only candidate.
func (t *Transport) order(session string, req *http.Request, tried []*member) []candidate {
	mayTry := len(tried) == 0 && (req.Body == nil || req.Body == http.NoBody || req.GetBody != nil)
	now, all := clock.Wall(), make([]candidate, 0, len(t.members))
	for _, m := range t.members {
		c := candidate{member: m, isOut: m.pause > 0, rank: t.rank(m, session)}
		switch {
		case c.isOut && mayTry && !now.Before(m.due):
			m.due, m.pause = now.Add(m.pause), min(2*m.pause, maxPause)
			c.rank, mayTry = -1, false
		case c.isOut || slices.Contains(tried, m):
			continue
		}
		all = append(all, c)
	}
	if len(all) == 0 {
		next := slices.MinFunc(t.members, func(a, b *member) int { return a.due.Compare(b.due) })
		return []candidate{{member: next, isOut: true}}
	}
	slices.SortFunc(all, func(a, b candidate) int { return cmp.Compare(a.rank, b.rank) })
	return all
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

// soonEnough asks the candidates in turn when the request could go. isCold says that one of those asked cannot tell.
func soonEnough(order []candidate, req *http.Request, stay time.Duration) (c *candidate, isCold bool) {
	soonest := time.Duration(math.MaxInt64)
	for i := range order {
		c := &order[i]
		isCold = c.ask(req) || isCold
		if c.delay <= stay {
			return c, isCold
		}
		soonest = min(soonest, c.delay)
	}
	i := slices.IndexFunc(order, func(c candidate) bool { return c.delay-soonest <= stay })
	return &order[i], isCold
}

// ask prepares the request for the candidate, and asks when it could go. isCold says that nobody knows, before the first
// response.
func (c *candidate) ask(req *http.Request) (isCold bool) {
	if c.req = req.Clone(req.Context()); c.Prepare != nil {
		c.Prepare(c.req)
	}
	entering := int(c.entering.Load())
	f := c.Transport.Forecast(c.req, 1+entering)
	c.delay = max(0, f.Last.Sub(f.At)).Truncate(time.Millisecond) // reading the clock takes some time
	switch isUnknown := f.Certainty == headway.CertaintyUnknown && (entering > 0 || c.delay > 0); {
	case f.Last.IsZero() && f.Cause == headway.CauseCeiling:
		c.delay = math.MaxInt64
	case (isUnknown || f.Last.IsZero()) && c.ended.IsZero():
		c.delay, isCold = max(c.delay, coldPause), true
	case isUnknown || f.Last.IsZero():
		c.delay = max(c.delay, time.Duration(c.calls)*c.gap)
	}
	return isCold
}

// An entry is the context of a request on its way into the queue of a Transport. Who waits for the end of the context is in
// the queue or beyond, as in net/http, so that forecasts count the request.
type entry struct {
	context.Context
	member *member
	once   sync.Once
}

// Done implements [context.Context].
func (e *entry) Done() <-chan struct{} {
	e.end()
	return e.Context.Done()
}

func (e *entry) end() { e.once.Do(func() { e.member.entering.Add(-1) }) }
