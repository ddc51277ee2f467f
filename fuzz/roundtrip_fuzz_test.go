package fuzz

import (
	"context"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/validate"
)

// A round trip is made of two inputs: a plan, whose bytes choose what the
// program and the server do, and the header fields of the server's responses, a
// response a paragraph.
//
// The first settingBytes of a plan are the Transport's, the rest is dealt out
// evenly to the requests, so that each has its own whatever the others do.
const (
	settingBytes = 8
	maxRequests  = 6
	patience     = 25 * time.Hour // then the program gives up
	begin        = 1772625600     // Wed, 04 Mar 2026 12:00:00 GMT, in seconds since 1970, about which the seeds speak
)

func FuzzRoundTrip(f *testing.F) {
	for i, text := range seedHeaders() {
		for j := range uint64(64) {
			f.Add(randomPlan(uint64(i), j), text)
		}
	}
	f.Fuzz(func(t *testing.T, plan []byte, text string) {
		synctest.Test(t, func(t *testing.T) {
			s := newStory(plan, text)
			s.run(t.Context())
			synctest.Wait() // a body whose Read is under way is closed by itself
			s.check(t)
		})
	})
}

// seedHeaders puts a few responses together, so that a server contradicts itself.
func seedHeaders() []string {
	const together = 5
	const soon = "\n\nRetry-After: 1\n\nRetry-After: 0\n\nServer: silent" // so that some requests are sent again
	all := append(strings.Split(parseHeaders, "\n\n"), hostileHeaders()...)
	all = append(all,
		"Retry-After: 0", "Retry-After: 99999999999", "Retry-After: Wed, 04 Mar 2026 12:00:09 GMT",
		"X-RateLimit-Limit: 5\nX-RateLimit-Remaining: 0\nX-RateLimit-Reset: 1772629210\nDate: Wed, 04 Mar 2026 13:00:00 GMT",
		"RateLimit: \"c\";r=0;t=1\nRateLimit-Policy: \"c\";q=2;qu=\"concurrent-requests\", \"d\";q=10;w=1",
	)
	var seeds []string
	for len(all) > 0 {
		n := min(together, len(all))
		seeds, all = append(seeds, strings.Join(all[:n], "\n\n")+soon), all[n:]
	}
	return seeds
}

func randomPlan(a, b uint64) []byte {
	source := rand.New(rand.NewPCG(a, b))
	plan := make([]byte, settingBytes+maxRequests*32)
	for i := range plan {
		plan[i] = byte(source.Uint32())
	}
	return plan
}

// A tape is the part of a plan that is still to be used.
type tape []byte

// next returns a number below n: 0 when the tape is at its end.
func (t *tape) next(n int) int {
	if len(*t) == 0 {
		return 0
	}
	b := (*t)[0]
	*t = (*t)[1:]
	return int(b) % n
}

func choose[T any](t *tape, choices ...T) T { return choices[t.next(len(choices))] }

// cut takes n bytes off.
func (t *tape) cut(n int) tape {
	n = min(n, len(*t))
	head := (*t)[:n]
	*t = (*t)[n:]
	return head
}

// A story is one run: a Transport, a server and some requests.
type story struct {
	transport *headway.Transport
	headers   []http.Header
	exchanges []*exchange
	states    []headway.PartitionState // when all is over
}

func newStory(plan []byte, text string) *story {
	rest := tape(plan)
	settings := rest.cut(settingBytes)
	s := &story{}
	for response := range strings.SplitSeq(text, "\n\n") {
		s.headers = append(s.headers, header(response))
	}
	n := 1 + settings.next(maxRequests)
	s.transport = &headway.Transport{
		Base:       &hostileServer{headers: s.headers},
		MaxWait:    choose(&settings, 0, time.Second, time.Minute, -1),
		MaxRetries: choose(&settings, 0, 0, 1, -1, 5),
		Refusal:    choose(&settings, headway.RefuseWithError, headway.RefuseWithResponse),
		Shadow:     settings.next(8) == 7,
		Burst:      choose(&settings, 0, -1, 1, math.NaN(), math.Inf(1)),
		Jitter:     choose(&settings, 0, -1, 1, math.NaN(), math.Inf(1)),
		Bounds:     choose(&settings, validate.Bounds{}, validate.Bounds{MaxReset: -1, MaxQuota: -1, MaxRate: -1}),
	}
	each := len(rest) / n
	for range n {
		s.exchanges = append(s.exchanges, newExchange(rest.cut(each)))
	}
	return s
}

func (s *story) run(ctx context.Context) {
	time.Sleep(time.Until(time.Unix(begin, 0))) // bubbles begin in 2000
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var group sync.WaitGroup
	for _, e := range s.exchanges {
		group.Go(func() { e.run(ctx, s.transport) })
	}
	group.Wait()
	s.states = s.transport.State()
	s.transport.CloseIdleConnections()
}

// An exchange is one call of RoundTrip, what Base made of it, and what came out.
type exchange struct {
	tape  tape
	req   *http.Request
	sent  http.Header // what the header of req was
	body  io.ReadCloser
	made  []*sentBody // all bodies of the request
	serve []*served   // the calls of Base, one after the other

	called, returned time.Time
	ends             time.Time // when the context does

	resp *http.Response
	err  error
	read reading
}

func newExchange(t tape) *exchange { return &exchange{tape: t} }

// exchangeKey is the context key of an *exchange.
type exchangeKey struct{}

func (e *exchange) run(ctx context.Context, rt http.RoundTripper) {
	pause(ctx, choose(&e.tape, 0, 0, time.Millisecond, time.Second, time.Minute))
	ctx, cancel := e.context(context.WithValue(ctx, exchangeKey{}, e))
	defer cancel()
	e.makeRequest(ctx)

	e.called = time.Now()
	e.resp, e.err = rt.RoundTrip(e.req)
	e.returned = time.Now()
	if e.resp != nil && e.resp.Body != nil {
		e.read = readReply(e.resp.Body, choose(&e.tape, int64(math.MaxInt64), 0, 3))
	}
}

// context ends after some time, by a deadline or by being cancelled.
func (e *exchange) context(ctx context.Context) (context.Context, context.CancelFunc) {
	limit := choose(&e.tape, patience, patience, patience, 24*time.Hour, time.Hour, time.Minute, time.Second, time.Millisecond, 0)
	at := time.Now().Add(limit)
	if end, _ := ctx.Deadline(); end.Before(at) {
		at = end
	}
	e.ends = at
	if e.tape.next(2) == 0 {
		return context.WithDeadline(ctx, at)
	}
	ctx, cancel := context.WithCancel(ctx)
	if limit == 0 {
		cancel()
	}
	timer := time.AfterFunc(limit, cancel)
	return ctx, func() {
		timer.Stop()
		cancel()
	}
}

func (e *exchange) makeRequest(ctx context.Context) {
	host := choose(&e.tape, "a.example", "a.example", "b.example")
	method := choose(&e.tape, http.MethodGet, http.MethodPost, http.MethodHead)
	e.req, _ = http.NewRequestWithContext(ctx, method, "https://"+host+"/", http.NoBody)
	e.req.Header.Set("X-Api-Key", "key")
	if e.tape.next(3) > 0 {
		e.req.Body = e.newBody()
		e.req.GetBody = choose(&e.tape, e.getBody, e.getBody, nil, noMoreBodies)
	} else {
		e.req.Body = choose(&e.tape, nil, io.ReadCloser(http.NoBody))
	}
	e.sent, e.body = e.req.Header.Clone(), e.req.Body
}

func (e *exchange) getBody() (io.ReadCloser, error) { return e.newBody(), nil }

func noMoreBodies() (io.ReadCloser, error) { return nil, errServer }

func (e *exchange) newBody() *sentBody {
	b := &sentBody{Reader: strings.NewReader(payload)}
	e.made = append(e.made, b)
	return b
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
