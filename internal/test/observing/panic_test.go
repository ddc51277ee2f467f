package observing

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/time/rate"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/validate"
)

// broken is the value of all panics in this file.
const broken = "broken"

// A panicRow is a request in which the caller's code panics.
type panicRow struct {
	name      string
	transport *headway.Transport
	answers   []func(*http.Request) *http.Response // of Base
	before    int                                  // requests that succeed first
	hook      func(*headway.Transport, func())     // has a hook call a function that panics at its nth call
	nth       int                                  // 0: 1
	change    func(*http.Request) *http.Request    // makes the request that panics
	isUnread  bool                                 // the response is left open
}

// The caller's code may panic. The panic passes through RoundTrip. Its request takes no place in flight and no turn, so the
// next one goes. A Body of the request that Base does not have is closed, and that of the response.
func TestPanicsTakeNoPlace(t *testing.T) {
	ok, throttled := kit.Status(200), kit.Status(429, "Retry-After", "5")
	panics := func(*http.Request) *http.Response { panic(broken) }
	ignored := func(req *http.Request) *http.Response {
		resp := kit.InFlight("1", func() io.ReadCloser { return http.NoBody })(req)
		resp.Header.Set("Retry-After", "nonsense")
		return resp
	}
	type all = []func(*http.Request) *http.Response
	for _, test := range []panicRow{
		{name: "Partition", transport: &headway.Transport{Partition: partitionOrPanic}, answers: all{ok}, change: withPanicHeader},
		{name: "Cost", transport: &headway.Transport{Cost: costOrPanic}, answers: all{ok}, change: withPanicHeader},
		{name: "Limits", transport: &headway.Transport{Limits: limitsOrPanic}, answers: all{ok}, change: withPanicHeader},
		{name: "Base", answers: all{panics, ok}},
		{name: "Base, after a wait", transport: &headway.Transport{MaxRetries: -1}, answers: all{throttled, panics, ok}, before: 1},
		{name: "Base, after a wait for the Ceiling", transport: perMinute(), answers: all{ok, panics, ok}, before: 1},
		{name: "Base, sent again", answers: all{throttled, panics, ok}},
		{name: "Base, sent again after a wait for the Ceiling", transport: perMinute(), answers: all{throttled, panics, ok}},
		{name: "Base, in a shadow", transport: &headway.Transport{Shadow: true}, answers: all{panics, ok}},
		{name: "GetBody", answers: all{throttled, ok}, change: func(req *http.Request) *http.Request {
			req.GetBody = func() (io.ReadCloser, error) { panic(broken) }
			return req
		}},
		{name: "Body that is not sent again, as it would be too late", transport: &headway.Transport{MaxWait: 4 * time.Second}, answers: all{throttled, ok}, change: withPanicBody},
		{name: "Body that is not sent again, as a hook panics", answers: all{throttled, ok}, hook: throttledHook, change: withPanicBody},
		{name: "Body of a throttled response", answers: all{func(req *http.Request) *http.Response {
			resp := throttled(req)
			resp.Body = io.NopCloser(panicReader{})
			return resp
		}, ok}},
		{name: "context, in the queue", transport: &headway.Transport{MaxRetries: -1}, answers: all{throttled, ok}, before: 1, change: withPanicContext},
		{name: "context, waiting to be sent again", answers: all{throttled, ok}, change: withPanicContext, isUnread: true},
		{name: "context, waiting for the Ceiling", transport: perMinute(), answers: all{ok}, before: 1, change: withPanicContext},
		{name: "Sent", answers: all{ok}, hook: sentHook},
		{name: "Sent, after a wait for the Ceiling", transport: perMinute(), answers: all{ok}, before: 1, hook: sentHook, nth: 2},
		{name: "Resent", answers: all{throttled, ok}, hook: resentHook},
		{name: "Waiting", transport: &headway.Transport{MaxRetries: -1}, answers: all{throttled, ok}, before: 1, hook: waitingHook},
		{name: "Waiting, to be sent again", answers: all{throttled, ok}, hook: waitingHook},
		{name: "Waiting, in a shadow", transport: &headway.Transport{Shadow: true, MaxRetries: -1}, answers: all{throttled, ok}, before: 1, hook: waitingHook},
		{name: "Refused", transport: &headway.Transport{MaxRetries: -1, MaxWait: 10 * time.Second}, answers: all{kit.Status(429, "Retry-After", "20"), ok}, before: 1, hook: refusedHook},
		{name: "Throttled", answers: all{throttled, ok}, hook: throttledHook},
		{name: "Reading", answers: all{kit.UsedUp(), ok}, hook: readingHook},
		{name: "Reading of a field that is ignored, with a place", answers: all{ignored, ok}, hook: readingHook},
		{name: "Logger", answers: all{throttled, ok}, hook: loggerHook, nth: 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { test.run(t) })
		})
	}
}

func (x *panicRow) run(t *testing.T) {
	t.Helper()
	transport := x.transport
	if transport == nil {
		transport = &headway.Transport{}
	}
	var response *kit.TrackedBody // of the last response, unless it has a Body of its own
	given := map[io.ReadCloser]bool{}
	base := kit.InTurn(x.answers...)
	transport.Base = kit.BaseFunc(func(req *http.Request) (*http.Response, error) {
		given[req.Body], response = true, nil
		resp, err := base.RoundTrip(req)
		if err == nil && resp.Body == http.NoBody {
			response = kit.NewTrackedBody("text")
			resp.Body = response
		}
		return resp, err
	})
	if x.hook != nil {
		calls := 0
		x.hook(transport, func() {
			if calls++; calls == max(x.nth, 1) {
				panic(broken)
			}
		})
	}
	for range x.before {
		kit.Prime(t, transport)
	}
	first := kit.NewTrackedBody("payload")
	bodies := []*kit.TrackedBody{first}
	req := kit.NewRequest(t, kit.URL)
	req.Body, req.GetBody = first, func() (io.ReadCloser, error) {
		bodies = append(bodies, kit.NewTrackedBody("payload"))
		return bodies[len(bodies)-1], nil
	}
	if x.change != nil {
		req = x.change(req)
	}
	require.PanicsWithValue(t, broken, func() { _, _ = transport.RoundTrip(req) })
	requireAtRest(t, transport)
	for _, body := range bodies {
		require.True(t, given[body] || body.Closed == 1)
	}
	require.True(t, x.isUnread || response == nil || response.Closed == 1)

	time.Sleep(2 * time.Minute) // until holds have ended and the Ceiling has tokens
	sent, start := base.Sent(), time.Now()
	resp, err := kit.Get(t.Context(), transport, kit.URL)
	require.NoError(t, err)
	require.Equal(t, 200, resp.StatusCode)
	require.NoError(t, resp.Body.Close())
	require.Equal(t, sent+1, base.Sent())
	require.Zero(t, time.Since(start))
	requireAtRest(t, transport)
}

func sentHook(t *headway.Transport, do func()) {
	t.Trace = &headway.Trace{Sent: func(context.Context, headway.SentInfo) { do() }}
}

func resentHook(t *headway.Transport, do func()) {
	t.Trace = &headway.Trace{Resent: func(context.Context, headway.SentInfo) { do() }}
}

func waitingHook(t *headway.Transport, do func()) {
	t.Trace = &headway.Trace{Waiting: func(context.Context, headway.WaitingInfo) { do() }}
}

func refusedHook(t *headway.Transport, do func()) {
	t.Trace = &headway.Trace{Refused: func(context.Context, *headway.LimitError) { do() }}
}

func throttledHook(t *headway.Transport, do func()) {
	t.Trace = &headway.Trace{Throttled: func(context.Context, headway.ThrottledInfo) { do() }}
}

func readingHook(t *headway.Transport, do func()) {
	t.Trace = &headway.Trace{Reading: func(context.Context, headway.ReadingInfo) { do() }}
}

func loggerHook(t *headway.Transport, do func()) {
	t.Logger = slog.New(kit.HandlerFunc(func(slog.Record) { do() }))
}

// closePanics is a body whose Close panics.
type closePanics struct{ panicReader }

func (closePanics) Close() error { panic(broken) }

// requireAtRest checks that no request waits or is in flight.
func requireAtRest(t *testing.T, transport *headway.Transport) {
	t.Helper()
	for _, state := range transport.State() {
		require.Zero(t, state.Waiting, state.Partition)
		require.Zero(t, state.InFlight, state.Partition)
	}
}

func perMinute() *headway.Transport {
	return &headway.Transport{Ceiling: rate.NewLimiter(rate.Every(time.Minute), 1)}
}

func partitionOrPanic(req *http.Request) string {
	if req.Header.Get("X-Broken") != "" {
		panic(broken)
	}
	return "partition"
}

func limitsOrPanic(resp *http.Response) validate.Reading {
	if resp.Request.Header.Get("X-Broken") != "" {
		panic(broken)
	}
	return validate.Reading{}
}

func costOrPanic(req *http.Request, _ limits.Unit) int64 {
	if req.Header.Get("X-Broken") != "" {
		panic(broken)
	}
	return 1
}

// withPanicBody returns the request with a Body whose copy panics as it is closed.
func withPanicBody(req *http.Request) *http.Request {
	req.GetBody = func() (io.ReadCloser, error) { return closePanics{}, nil }
	return req
}

func withPanicHeader(req *http.Request) *http.Request {
	req.Header.Set("X-Broken", "1")
	return req
}

type panicReader struct{}

func (panicReader) Read([]byte) (int, error) { panic(broken) }

// The Done of a panicContext panics.
type panicContext struct{ context.Context }

func (panicContext) Done() <-chan struct{} { panic(broken) }

func withPanicContext(req *http.Request) *http.Request {
	return req.WithContext(panicContext{req.Context()})
}
