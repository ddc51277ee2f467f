package fuzz

import (
	"context"
	"errors"
	"io"
	"math"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

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
	payload      = "payload"
)

var errServer = errors.New("the server went away")

// FuzzRoundTrip sends a few requests at once to a server that answers anything, as late as it likes.
func FuzzRoundTrip(f *testing.F) {
	for i, text := range seedHeaders() {
		for j := range uint64(64) {
			f.Add(randomTape(uint64(i)<<6|j, settingBytes+maxRequests*32), text)
		}
	}
	f.Fuzz(func(t *testing.T, plan []byte, text string) {
		synctest.Test(t, func(t *testing.T) {
			time.Sleep(time.Until(time.Unix(startTime, 0))) // a synctest bubble begins in 2000
			ctx, cancel := context.WithTimeout(t.Context(), maxRun)
			defer cancel()
			transport, exchanges := planned(plan, text)
			var group sync.WaitGroup
			for _, e := range exchanges {
				group.Go(func() { e.run(ctx) })
			}
			group.Wait()
			states := transport.State()
			time.Sleep(time.Minute) // for goroutines that close a body whose Read is under way, and for slow bodies
			synctest.Wait()
			for _, e := range exchanges {
				e.check(t)
				e.checkCalls(t)
			}
			checkHolds(t, exchanges)
			checkStates(t, states)
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

// An exchange is one call of RoundTrip: its inputs, the calls of Base, and the result.
type exchange struct {
	transport *headway.Transport
	tape      tape
	headers   []http.Header // of the server's responses

	req    *http.Request
	before http.Request       // a copy of req
	bodies []*kit.TrackedBody // all bodies of the request
	calls  []*baseCall

	called, returned time.Time
	deadline         time.Time // the end of the context

	resp    *http.Response
	err     error
	text    string // of the body, which was read from began on
	readErr error
	began   time.Time
	isRead  bool // the program wanted the whole body
}

// A baseCall is one call of Base.
type baseCall struct {
	began, ended time.Time
	header       http.Header // of the request
	payload      string
	resp         *http.Response
	given        http.Response // a copy of resp
	reading      validate.Reading
	reply        *reply // nil if there is no body
	err          error
}

// exchangeKey is the context key of an *exchange.
type exchangeKey struct{}

// planned returns the Transport and the requests of a plan.
func planned(plan []byte, text string) (*headway.Transport, []*exchange) {
	rest := tape(plan)
	settings := rest.cut(settingBytes)
	exchanges := make([]*exchange, 1+settings.next(maxRequests))
	transport := &headway.Transport{
		Base: kit.BaseFunc(func(req *http.Request) (*http.Response, error) {
			return req.Context().Value(exchangeKey{}).(*exchange).answer(req)
		}),
		MaxWait:    choose(&settings, 0, time.Second, time.Minute, -1),
		MaxRetries: choose(&settings, 0, 0, 1, -1, 5),
		Refusal:    choose(&settings, headway.RefuseWithError, headway.RefuseWithResponse),
		Shadow:     settings.next(8) == 7,
		Burst:      choose(&settings, 0, -1, 1, math.NaN(), math.Inf(1)),
		Jitter:     choose(&settings, 0, -1, 1, math.NaN(), math.Inf(1)),
		Bounds:     choose(&settings, validate.Bounds{}, validate.Bounds{MaxReset: -1, MaxQuota: -1, MaxRate: -1}),
	}
	var headers []http.Header
	for response := range strings.SplitSeq(text, "\n\n") {
		headers = append(headers, header(response))
	}
	each := len(rest) / len(exchanges)
	for i := range exchanges {
		exchanges[i] = &exchange{transport: transport, tape: rest.cut(each), headers: headers}
	}
	return transport, exchanges
}

// run makes the request, whose context ends by a deadline or a cancellation, and reads the response.
func (e *exchange) run(ctx context.Context) {
	pause(ctx, choose(&e.tape, 0, 0, time.Millisecond, time.Second, time.Minute))
	limit := choose(&e.tape, maxRun, maxRun, maxRun, 24*time.Hour, time.Hour, time.Minute, time.Second, time.Millisecond, 0)
	e.deadline = time.Now().Add(limit)
	if end, _ := ctx.Deadline(); end.Before(e.deadline) {
		e.deadline = end
	}
	ctx, cancel := context.WithCancel(context.WithValue(ctx, exchangeKey{}, e))
	defer cancel()
	if e.tape.next(2) == 0 {
		ctx, cancel = context.WithDeadline(ctx, e.deadline)
		defer cancel()
	} else if limit == 0 {
		cancel()
	} else {
		defer time.AfterFunc(limit, cancel).Stop()
	}
	host := choose(&e.tape, "a.example", "a.example", "b.example")
	method := choose(&e.tape, http.MethodGet, http.MethodPost, http.MethodHead)
	e.req, _ = http.NewRequestWithContext(ctx, method, "https://"+host+"/", http.NoBody)
	e.req.Header.Set("X-Api-Key", "key")
	if e.tape.next(3) > 0 {
		e.req.Body, _ = e.newBody()
		e.req.GetBody = choose(&e.tape, e.newBody, e.newBody, nil, func() (io.ReadCloser, error) { return nil, errServer })
	} else {
		e.req.Body = choose(&e.tape, nil, io.ReadCloser(http.NoBody))
	}
	e.before = *e.req
	e.before.Header = e.req.Header.Clone()

	e.called = time.Now()
	e.resp, e.err = e.transport.RoundTrip(e.req)
	e.returned = time.Now()
	if e.resp != nil && e.resp.Body != nil {
		most := choose(&e.tape, int64(math.MaxInt64), 0, 3)
		e.began, e.isRead = time.Now(), most == math.MaxInt64
		text, err := io.ReadAll(io.LimitReader(e.resp.Body, most))
		_ = e.resp.Body.Close()
		e.text, e.readErr = string(text), err
	}
}

func (e *exchange) newBody() (io.ReadCloser, error) {
	b := kit.NewTrackedBody(payload)
	e.bodies = append(e.bodies, b)
	return b, nil
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// answer is the server.
func (e *exchange) answer(req *http.Request) (*http.Response, error) {
	call := &baseCall{began: time.Now(), header: req.Header}
	e.calls = append(e.calls, call)
	if req.Body != nil {
		read, _ := io.ReadAll(req.Body) // cannot fail, as the body is in memory
		call.payload = string(read)
		_ = req.Body.Close() // cannot fail either
	}
	t, ctx := &e.tape, req.Context()
	pause(ctx, choose(t, 0, 0, 0, 10*time.Millisecond, 10*time.Millisecond, time.Second, time.Second, time.Minute, maxRun))
	call.ended = time.Now()
	switch {
	case ctx.Err() != nil && t.next(2) == 0:
		call.err = ctx.Err()
	case t.next(8) == 7:
		call.err = errServer
	default:
		status := choose(t, 429, 200, 503, 429, 403, 200, 429, 503, 429, 200, 101, 302, 408, 204, 500, 999, 0, -1)
		header := e.headers[t.next(len(e.headers))].Clone()
		call.resp = &http.Response{StatusCode: status, Header: header, ContentLength: -1, Request: req, Trailer: http.Header{"Retry-After": {"9"}}}
		call.reply = newReply(t.next(8), call.resp)
		call.given = *call.resp
		call.reading = validate.Response(call.resp, call.ended, e.transport.Bounds)
		call.given.Header = call.resp.Header.Clone()
	}
	return call.resp, call.err
}

// A reply is a response's body.
type reply struct {
	io.Reader
	full   string
	fail   error     // the error at the end; nil: io.EOF
	closed time.Time // zero: not
}

func (r *reply) Close() error {
	r.closed = time.Now()
	if pipe, ok := r.Reader.(io.Closer); ok {
		_ = pipe.Close() // ends a Read
	}
	return nil
}

// newReply gives a response one of several bodies; nil if it has none.
func newReply(kind int, resp *http.Response) *reply {
	texts := []string{2: "short", 3: strings.Repeat("long", 20<<10), 4: "slow", 5: "broken"}
	resp.Body = http.NoBody
	switch {
	case kind == 1: // as some test servers return it
		resp.Body = nil
		return nil
	case kind >= len(texts):
		resp.Header = nil
		return nil
	case texts[kind] == "":
		return nil
	}
	r := &reply{full: texts[kind], Reader: strings.NewReader(texts[kind])}
	switch r.full {
	case "slow":
		in, out := io.Pipe()
		go func() {
			time.Sleep(time.Second)
			_, _ = io.WriteString(out, r.full)
			time.Sleep(time.Second)
			_ = out.Close()
		}()
		r.Reader = in
	case "broken":
		r.fail = errServer
		r.Reader = io.MultiReader(r.Reader, iotest.ErrReader(errServer))
	}
	resp.Body = r
	return r
}

// check checks that the request is unchanged, that its bodies are closed, and that a call returns either the last response
// of Base or an error, for one of the documented reasons, and in time.
func (e *exchange) check(t *testing.T) {
	t.Helper()
	require.Equal(t, e.before.Header, e.req.Header)
	require.Equal(t, e.before.Body, e.req.Body)
	for i, body := range e.bodies {
		require.Positive(t, body.Closed, "body %d of the request is left open", i)
	}
	require.NotEqual(t, e.resp == nil, e.err == nil, "a response or an error: %v, %v", e.resp, e.err)
	refused, isRefusal := headway.Refused(e.resp)
	if errors.As(e.err, &refused) || isRefusal {
		require.Empty(t, e.calls, "refused after it was sent")
		require.Equal(t, e.transport.Refusal == headway.RefuseWithResponse, isRefusal)
		require.False(t, e.transport.Shadow)
		require.Contains(t, []error{context.DeadlineExceeded, headway.ErrMaxWait}, refused.Err)
		require.GreaterOrEqual(t, refused.Wait, time.Duration(0))
		return
	}
	if len(e.calls) == 0 || e.calls[len(e.calls)-1].err != nil || e.err != nil {
		isLost := len(e.calls) > 0 && e.calls[len(e.calls)-1].err != nil && errors.Is(e.err, e.calls[len(e.calls)-1].err)
		isOver := (errors.Is(e.err, context.Canceled) || errors.Is(e.err, context.DeadlineExceeded)) && !e.returned.Before(e.deadline)
		require.True(t, isLost || isOver, "%v", e.err)
		return
	}
	call := e.calls[len(e.calls)-1]
	require.Same(t, call.resp, e.resp)
	got, want := *e.resp, call.given
	require.Same(t, e.req, got.Request)
	got.Body, got.Request, want.Request = want.Body, nil, nil
	require.Equal(t, want, got)
	if call.reply == nil {
		require.True(t, e.text == "" && e.readErr == nil)
		return
	}
	require.True(t, strings.HasPrefix(call.reply.full, e.text), "not the bytes of Base's body")
	require.False(t, call.reply.closed.IsZero(), "body of the response is left open")
	switch {
	case !e.isRead:
	case errors.Is(e.readErr, io.ErrUnexpectedEOF): // a throttled response may lack the end
		require.True(t, call.reading.Verdict.IsRefusal(), "broken off though it was not discarded")
		require.False(t, call.reply.closed.After(e.began))
	default:
		require.Equal(t, call.reply.fail, e.readErr)
		require.Equal(t, call.reply.full, e.text)
	}
}

// checkCalls checks that only throttled requests are sent again, with the same body, at most MaxRetries times, and not later
// than MaxWait and the context allow.
func (e *exchange) checkCalls(t *testing.T) {
	t.Helper()
	latest, most := e.deadline, max(e.transport.MaxRetries, 0)
	if e.transport.MaxRetries == 0 {
		most = headway.DefaultMaxRetries
	}
	wait := e.transport.MaxWait
	if wait == 0 {
		wait = headway.DefaultMaxWait
	}
	if end := e.called.Add(wait); wait >= 0 && end.Before(latest) {
		latest = end
	}
	if latest.Before(e.called) || e.transport.Shadow {
		latest = e.called
	}
	if e.transport.Shadow {
		most = 0
	}
	require.LessOrEqual(t, len(e.calls), 1+most)
	for i, call := range e.calls {
		require.False(t, call.began.After(latest), "call %d of Base at %v after the call, bound %v", i, call.began.Sub(e.called), latest.Sub(e.called))
		require.Equal(t, e.before.Header, call.header)
		require.True(t, len(e.bodies) == 0 || call.payload == payload)
		if i == len(e.calls)-1 {
			break
		}
		require.True(t, call.reading.Verdict.IsRefusal(), "sent again though it was not throttled: %d", call.resp.StatusCode)
		require.False(t, call.resp.StatusCode == http.StatusServiceUnavailable && e.req.Method == http.MethodPost)
		require.True(t, call.reply == nil || !call.reply.closed.IsZero(), "body of a discarded response is left open")
	}
	if len(e.calls) > 0 {
		const discardTime = 250 * time.Millisecond // the longest time for reading a discarded response
		if end := e.calls[len(e.calls)-1].ended.Add(discardTime); end.After(latest) {
			latest = end
		}
	}
	require.False(t, e.returned.After(latest), "returned %v after the call, bound %v", e.returned.Sub(e.called), latest.Sub(e.called))
}

// checkHolds checks that no request of a partition starts before a Retry-After has ended. A request that
// starts at the instant of the response may not know of it.
func checkHolds(t *testing.T, exchanges []*exchange) {
	t.Helper()
	for _, held := range exchanges {
		for _, refusal := range held.calls {
			if !refusal.reading.Verdict.IsRefusal() || held.transport.Shadow {
				continue
			}
			until := refusal.ended.Add(max(refusal.reading.RetryAfter, 0))
			for _, e := range exchanges {
				for _, call := range e.calls {
					isHeld := e.req.URL.Host == held.req.URL.Host && call.began.After(refusal.ended) && call.began.Before(until)
					require.False(t, isHeld, "sent %v before the end of a Retry-After", until.Sub(call.began))
				}
			}
		}
	}
}

// checkStates checks that no request waits or is in flight at the end, and that the numbers are in range.
func checkStates(t *testing.T, states []headway.PartitionState) {
	t.Helper()
	require.LessOrEqual(t, len(states), 2)
	for _, p := range states {
		require.Zero(t, p.Waiting)
		require.Zero(t, p.InFlight)
		require.LessOrEqual(t, len(p.Limits), 16)
		for _, l := range p.Limits {
			require.True(t, l.Rate >= 0 && !math.IsInf(l.Rate, 0), "%+v", l)
			require.True(t, l.Share > 0 && l.Share <= 1, "%+v", l)
			require.True(t, l.Quota >= -1 && l.Remaining >= -1 && l.Window >= -1, "%+v", l)
		}
	}
}
