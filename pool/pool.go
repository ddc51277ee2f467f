// Package pool sends the requests for one API through several members, such as the keys of its installations or its regions.
// Each request goes where it can go soonest:
//
//	with := func(key string) func(*http.Request) {
//		return func(req *http.Request) {
//			if req.URL.Host == "api.example.com" { // a redirect may lead elsewhere
//				req.Header.Set("Authorization", "Bearer "+key)
//			}
//		}
//	}
//	client := &http.Client{Transport: &pool.Transport{Members: []pool.Member{
//		{Name: "a", Prepare: with(keyA)}, {Name: "b", Prepare: with(keyB)},
//	}}}
//
// Terms of service may forbid several keys for one account: docs/pool.md says what a pool is for, and how it chooses.
package pool

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/chance"
	"github.com/headway-go/headway/internal/clock"
	"github.com/headway-go/headway/internal/replay"
	"github.com/headway-go/headway/validate"
)

// A Member is a credential, an account or a region that has limits of its own.
type Member struct {
	// Name tells the member from the others, for Affinity and Changed. It must not be a credential. "" means its index.
	Name string

	// Prepare makes a request this member's: it sets the credential, or the host. It gets a clone, of which it may change
	// all but the Body. It is called for each request, whichever member gets it, and no lock is held. So what takes long, such
	// as fetching a token, belongs into a RoundTripper below Transport. It must be safe for concurrent use. A client sends
	// redirects through it: give no credential to hosts that are not the API's. nil means that requests go as they are.
	Prepare func(*http.Request)

	// Transport paces and sends the member's requests. One that is refused for now waits for this member again, unless
	// MaxRetries is negative: then another member gets it at once. Members may share a Transport if their requests have
	// partitions of their own, as by default those with other credentials or hosts have. nil means a zero one.
	Transport *headway.Transport

	// Weight is the member's part of the requests that can go to several members at once, beside the weights of the
	// others. 0, negative and NaN mean 1.
	Weight float64
}

// A Transport is an [http.RoundTripper] that chooses a Member for each request.
//
// A member that refuses a request for good is left out. The request goes to another one, if its body can be made again, to
// each member once. A second later, and then after pauses that double up to five minutes, one request tries whether the
// member is back, if it need not wait to do so. No other one tries it meanwhile, for a minute at least. If all are left out,
// the one to be tried next gets the requests, so that the caller sees its refusals.
//
// It is safe for concurrent use. After first use its fields must not be changed, nor may it be copied. It has no goroutines.
type Transport struct {
	// Members are where requests may go. Without any, RoundTrip returns an error.
	Members []Member

	// Affinity returns the name of a request's session, such as a conversation or a tenant, and how much longer the request
	// may wait for the session's member than for the soonest one. The member follows from the name alone, in all processes
	// with these Members, and no session is kept. "" or a nil Affinity means no session. It must be safe for concurrent use.
	Affinity func(*http.Request) (session string, wait time.Duration)

	// Final reports whether a response with a status of 400 or more shows that the member will refuse other requests, too,
	// until somebody has looked at it. It must leave the body as it was, as headway.VerdictOf does. nil means status 401,
	// 402 without a sign that waiting helps, and validate.VerdictNever.
	Final func(*http.Response) bool

	// Changed is called when a member is left out, and when it is back, on the goroutine of the request that shows it. No
	// lock is held. nil means that nobody is told.
	Changed func(member string, isOut bool)

	once    sync.Once
	members []*member
	chance  chance.Source

	mu   sync.Mutex    // held while a member is chosen, one request after the other
	news chan struct{} // closed when a member's first call ends
}

// A member is a Member and what its calls have shown. The mutex of the Transport guards what is below entering.
type member struct {
	Member
	entering atomic.Int64 // requests on their way into the queue of Transport

	calls int           // without a response yet
	ended time.Time     // the last call
	gap   time.Duration // between the ends of calls, on average; while there is none: when a Transport may send one more

	pause time.Duration // before the next trial; 0: it is not left out
	due   time.Time     // the next trial
}

// maxPause is between two trials of a member that is out for long. A trial costs its request a detour: twelve an hour. Who has
// paid a bill waits for the effect for maxPause at most.
const maxPause = 5 * time.Minute

// RoundTrip implements [http.RoundTripper]. Responses and errors are those of the member's Transport, and Response.Request is
// the request as the member sent it. If the context ends before a member is chosen, RoundTrip returns the cause.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	t.once.Do(t.start)
	var tried []*member
	for next := req; ; {
		c, err := t.pick(next, tried)
		if err != nil {
			if next.Body != nil {
				_ = next.Body.Close()
			}
			return nil, err
		}
		resp, goesOn, err := t.send(c)
		if tried = append(tried, c.member); !goesOn || !t.hasOther(tried) {
			return resp, err
		}
		if next = replay.Again(req, resp.StatusCode); next == nil {
			return resp, err
		}
		_ = resp.Body.Close()
	}
}

func (t *Transport) start() {
	t.chance, t.news = chance.For(t), make(chan struct{})
	for i, m := range t.Members {
		m.Name, m.Transport = cmp.Or(m.Name, strconv.Itoa(i)), cmp.Or(m.Transport, &headway.Transport{})
		if !(m.Weight > 0) {
			m.Weight = 1
		}
		t.members = append(t.members, &member{Member: m, gap: time.Second / 4})
	}
}

// send reports whether another member should get the request, too.
func (t *Transport) send(c *candidate) (resp *http.Response, goesOn bool, err error) {
	begun, isFinal, end := clock.Wall(), false, sync.OnceFunc(func() { c.entering.Add(-1) })
	defer func() { t.learn(c, begun, resp, isFinal) }() // after a panic in foreign code, too
	defer end()
	resp, err = c.Transport.RoundTrip(c.req.WithContext(&entry{c.req.Context(), end}))
	if resp == nil || resp.StatusCode < http.StatusBadRequest {
		return resp, false, err
	}
	verdict := headway.VerdictOf(resp)
	isDenied := resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusPaymentRequired
	isFinal = verdict == validate.VerdictNever || verdict == validate.VerdictNone && isDenied
	if t.Final != nil {
		isFinal = t.Final(resp)
	}
	return resp, isFinal || verdict.IsRefusal() && c.Transport.MaxRetries < 0, err
}

// learn ends the candidate's call. A member is back once a trial is served.
func (t *Transport) learn(c *candidate, begun time.Time, resp *http.Response, isFinal bool) {
	t.mu.Lock()
	now := clock.Wall()
	c.calls--
	if c.ended.IsZero() {
		close(t.news)
		t.news = make(chan struct{})
	}
	c.gap, c.ended = c.gap+(min(now.Sub(begun), now.Sub(c.ended))-c.gap)/8, now
	wasOut := c.pause > 0
	switch isServed := !isFinal && resp != nil && resp.StatusCode < http.StatusInternalServerError; {
	case c.isTrial && isServed:
		c.pause = 0
	case c.isTrial && wasOut, isFinal && !wasOut:
		c.pause = min(max(2*c.pause, time.Second), maxPause)
		c.due = now.Add(c.pause)
	}
	isOut := c.pause > 0
	t.mu.Unlock()
	if isOut != wasOut && t.Changed != nil {
		t.Changed(c.Name, isOut)
	}
}

// hasOther reports whether a member is neither tried nor left out.
func (t *Transport) hasOther(tried []*member) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.ContainsFunc(t.members, func(m *member) bool { return m.pause == 0 && !slices.Contains(tried, m) })
}

// CloseIdleConnections closes the idle connections of all members.
func (t *Transport) CloseIdleConnections() {
	t.once.Do(t.start)
	for _, m := range t.members {
		m.Transport.CloseIdleConnections()
	}
}
