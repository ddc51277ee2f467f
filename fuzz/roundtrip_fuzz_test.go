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
	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/validate"
)

// A round trip has two inputs. One is a plan, whose bytes choose what the program and the server do. The
// other is the header fields of the server's responses, with an empty line between responses.
//
// The first settingBytes of a plan configure the Transport. The rest is divided equally among the
// requests, so that the choices of one request do not depend on the other requests.
const (
	settingBytes = 8
	maxRequests  = 6
	maxRun       = 25 * time.Hour // then the program gives up
	startTime    = 1772625600     // Wed, 04 Mar 2026 12:00:00 GMT, in seconds since 1970; dates in the seeds are near it
)

func FuzzRoundTrip(f *testing.F) {
	for i, text := range seedHeaders() {
		for j := range uint64(64) {
			f.Add(randomPlan(uint64(i), j), text)
		}
	}
	f.Fuzz(func(t *testing.T, plan []byte, text string) {
		synctest.Test(t, func(t *testing.T) {
			s := newScenario(plan, text)
			s.run(t.Context())
			synctest.Wait() // for goroutines that close a body whose Read is under way
			s.check(t)
		})
	})
}

// seedHeaders combines a few responses in each seed, so that the server contradicts itself.
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

// A tape is the unused rest of a plan.
type tape []byte

// next returns a number below n; 0 at the end of the tape.
func (t *tape) next(n int) int {
	if len(*t) == 0 {
		return 0
	}
	b := (*t)[0]
	*t = (*t)[1:]
	return int(b) % n
}

func choose[T any](t *tape, choices ...T) T { return choices[t.next(len(choices))] }

// cut removes and returns the first n bytes.
func (t *tape) cut(n int) tape {
	n = min(n, len(*t))
	head := (*t)[:n]
	*t = (*t)[n:]
	return head
}

// A scenario is one run: a Transport, a server and some requests.
type scenario struct {
	transport *headway.Transport
	headers   []http.Header
	exchanges []*exchange
	states    []headway.PartitionState // at the end of the run
}

func newScenario(plan []byte, text string) *scenario {
	rest := tape(plan)
	settings := rest.cut(settingBytes)
	s := &scenario{}
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
		s.exchanges = append(s.exchanges, &exchange{tape: rest.cut(each)})
	}
	return s
}

func (s *scenario) run(ctx context.Context) {
	time.Sleep(time.Until(time.Unix(startTime, 0))) // a synctest bubble begins in 2000
	ctx, cancel := context.WithTimeout(ctx, maxRun)
	defer cancel()
	var group sync.WaitGroup
	for _, e := range s.exchanges {
		group.Go(func() { e.run(ctx, s.transport) })
	}
	group.Wait()
	s.states = s.transport.State()
	s.transport.CloseIdleConnections()
}

// An exchange is one call of RoundTrip: its inputs, the calls of Base, and the result.
type exchange struct {
	tape   tape
	req    *http.Request
	sent   http.Header // the header of req before the call
	body   io.ReadCloser
	bodies []*kit.TrackedBody // all bodies of the request
	calls  []*baseCall        // the calls of Base, in order

	called, returned time.Time
	deadline         time.Time // the end of the context

	resp *http.Response
	err  error
	read reading
}

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

// context returns a context that ends after some time, by a deadline or a cancellation.
func (e *exchange) context(ctx context.Context) (context.Context, context.CancelFunc) {
	limit := choose(&e.tape, maxRun, maxRun, maxRun, 24*time.Hour, time.Hour, time.Minute, time.Second, time.Millisecond, 0)
	at := time.Now().Add(limit)
	if end, _ := ctx.Deadline(); end.Before(at) {
		at = end
	}
	e.deadline = at
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

func (e *exchange) newBody() *kit.TrackedBody {
	b := kit.NewTrackedBody(payload)
	e.bodies = append(e.bodies, b)
	return b
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
