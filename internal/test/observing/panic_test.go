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

// The caller's code may panic. The panic passes through RoundTrip. Its request takes no place in flight and no turn, so the
// next one goes.
func TestPanicsTakeNoPlace(t *testing.T) {
	ok, throttled := kit.Status(200), kit.Status(429, "Retry-After", "5")
	panics := func(*http.Request) *http.Response { panic(broken) }
	for _, test := range []struct {
		name      string
		transport *headway.Transport
		answers   []func(*http.Request) *http.Response // of Base
		before    int                                  // requests that succeed first
		record    string                               // the Logger panics at the nth record with this
		nth       int                                  // message, counted from 1
		change    func(*http.Request) *http.Request    // makes the request that panics
	}{
		{name: "Partition", transport: &headway.Transport{Partition: partitionOrPanic}, answers: answer(ok), change: func(req *http.Request) *http.Request {
			req.Header.Set("X-Broken", "1")
			return req
		}},
		{name: "Cost", transport: &headway.Transport{Cost: costOrPanic}, answers: answer(ok), change: func(req *http.Request) *http.Request {
			req.Header.Set("X-Broken", "1")
			return req
		}},
		{name: "Limits", transport: &headway.Transport{Limits: limitsOrPanic}, answers: answer(ok), change: func(req *http.Request) *http.Request {
			req.Header.Set("X-Broken", "1")
			return req
		}},
		{name: "Base", answers: answer(panics, ok)},
		{name: "Base, after a wait", transport: &headway.Transport{MaxRetries: -1}, answers: answer(throttled, panics, ok), before: 1},
		{name: "Base, after a wait for the Ceiling", transport: perMinute(), answers: answer(ok, panics, ok), before: 1},
		{name: "Base, sent again", answers: answer(throttled, panics, ok)},
		{name: "Base, sent again after a wait for the Ceiling", transport: perMinute(), answers: answer(throttled, panics, ok)},
		{name: "Base, in a shadow", transport: &headway.Transport{Shadow: true}, answers: answer(panics, ok)},
		{name: "GetBody", answers: answer(throttled, ok), change: func(req *http.Request) *http.Request {
			req.Body, req.GetBody = kit.NewTrackedBody("payload"), func() (io.ReadCloser, error) { panic(broken) }
			return req
		}},
		{name: "Body of a throttled response", answers: answer(func(req *http.Request) *http.Response {
			resp := throttled(req)
			resp.Body = io.NopCloser(panicReader{})
			return resp
		}, ok)},
		{name: "context, in the queue", transport: &headway.Transport{MaxRetries: -1}, answers: answer(throttled, ok), before: 1, change: withPanicContext},
		{name: "context, waiting to be sent again", answers: answer(throttled, ok), change: withPanicContext},
		{name: "context, waiting for the Ceiling", transport: perMinute(), answers: answer(ok), before: 1, change: withPanicContext},
		{name: "Logger, sent", answers: answer(ok), record: "request is sent", nth: 1},
		{name: "Logger, sent after a wait for the Ceiling", transport: perMinute(), answers: answer(ok), before: 1, record: "request is sent", nth: 2},
		{name: "Logger, sent again", answers: answer(throttled, ok), record: "request is sent", nth: 2},
		{name: "Logger, waits", transport: &headway.Transport{MaxRetries: -1}, answers: answer(throttled, ok), before: 1, record: "request waits", nth: 1},
		{name: "Logger, refused", transport: &headway.Transport{MaxRetries: -1, MaxWait: 10 * time.Second}, answers: answer(kit.Status(429, "Retry-After", "20"), ok), before: 1, record: "request is not sent", nth: 1},
		{name: "Logger, throttled", answers: answer(throttled, ok), record: "request was throttled", nth: 1},
		{name: "Logger, held", answers: answer(throttled, ok), record: "server refused a request: nothing is sent until the hold ends", nth: 1},
		{name: "Logger, ignored", answers: answer(kit.Status(200, "RateLimit", "nonsense"), ok), record: "header field is ignored or clamped", nth: 1},
		{name: "Logger, ignored, with a place", answers: answer(func(req *http.Request) *http.Response {
			resp := kit.InFlight("1", func() io.ReadCloser { return kit.NewTrackedBody("text") })(req)
			resp.Header.Set("Retry-After", "nonsense")
			return resp
		}, ok), record: "header field is ignored or clamped", nth: 1},
		{name: "Logger, in a shadow", transport: &headway.Transport{Shadow: true, MaxRetries: -1}, answers: answer(throttled, ok), before: 1, record: "request would wait", nth: 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				transport := test.transport
				if transport == nil {
					transport = &headway.Transport{}
				}
				base := kit.InTurn(test.answers...)
				transport.Base, transport.Logger = base, panicAt(test.record, test.nth)
				for range test.before {
					resp, err := kit.Get(t.Context(), transport, kit.URL)
					require.NoError(t, err)
					require.NoError(t, resp.Body.Close())
				}
				req := kit.NewRequest(t, kit.URL)
				if test.change != nil {
					req = test.change(req)
				}
				require.PanicsWithValue(t, broken, func() { _, _ = transport.RoundTrip(req) })
				requireAtRest(t, transport)

				time.Sleep(2 * time.Minute) // until holds have ended and the Ceiling has tokens
				sent, start := base.Sent(), time.Now()
				resp, err := kit.Get(t.Context(), transport, kit.URL)
				require.NoError(t, err)
				require.Equal(t, 200, resp.StatusCode)
				require.NoError(t, resp.Body.Close())
				require.Equal(t, sent+1, base.Sent())
				require.Zero(t, time.Since(start))
				requireAtRest(t, transport)
			})
		})
	}
}

// The new Body of a resend is closed if it is not sent, even after a panic.
func TestPanicLeavesNoBodyOpen(t *testing.T) {
	for _, message := range []string{"request was throttled", "request is sent"} {
		t.Run(message, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				again := kit.NewTrackedBody("payload")
				transport := &headway.Transport{
					Base:   kit.InTurn(kit.Status(429, "Retry-After", "5")),
					Logger: panicAt(message, map[string]int{"request was throttled": 1, "request is sent": 2}[message]),
				}
				req := kit.NewRequest(t, kit.URL)
				req.Body, req.GetBody = kit.NewTrackedBody("payload"), func() (io.ReadCloser, error) { return again, nil }
				require.PanicsWithValue(t, broken, func() { _, _ = transport.RoundTrip(req) })
				require.Equal(t, 1, again.Closed)
			})
		})
	}
}

// If the Close of the unsent Body panics, the response is closed, as no caller gets it.
func TestPanicOfTheBodyThatIsNotSentClosesTheResponse(t *testing.T) {
	for name, transport := range map[string]*headway.Transport{
		"too late to be sent again": {MaxWait: 10 * time.Second},
		"a hook panics, too":        {Logger: panicAt("request was throttled", 1)},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				body := kit.NewTrackedBody("refused")
				transport.Base = kit.InTurn(func(req *http.Request) *http.Response {
					resp := kit.InFlight("1", func() io.ReadCloser { return body })(req)
					resp.StatusCode = 429
					resp.Header.Set("Retry-After", "20")
					return resp
				})
				req := kit.NewRequest(t, kit.URL)
				req.Body, req.GetBody = kit.NewTrackedBody("payload"), func() (io.ReadCloser, error) { return closePanics{}, nil }
				require.PanicsWithValue(t, broken, func() { _, _ = transport.RoundTrip(req) })
				require.Equal(t, 1, body.Closed)
				requireAtRest(t, transport)
			})
		})
	}
}

// closePanics is a body whose Close panics.
type closePanics struct{ panicReader }

func (closePanics) Close() error { panic(broken) }

// RoundTrip closes the Body of each request that it does not send.
func TestPanicClosesTheBody(t *testing.T) {
	for name, transport := range map[string]*headway.Transport{
		"Partition": {Partition: func(*http.Request) string { panic(broken) }},
		"Cost":      {Cost: func(*http.Request, limits.Unit) int64 { panic(broken) }},
	} {
		t.Run(name, func(t *testing.T) {
			transport.Base = kit.InTurn(kit.Status(200))
			body, req := kit.NewTrackedBody("payload"), kit.NewRequest(t, kit.URL)
			req.Body = body
			require.PanicsWithValue(t, broken, func() { _, _ = transport.RoundTrip(req) })
			require.Equal(t, 1, body.Closed)
		})
	}
}

// requireAtRest checks that no request waits or is in flight.
func requireAtRest(t *testing.T, transport *headway.Transport) {
	t.Helper()
	for _, state := range transport.State() {
		require.Zero(t, state.Waiting, state.Partition)
		require.Zero(t, state.InFlight, state.Partition)
	}
}

func answer(responses ...func(*http.Request) *http.Response) []func(*http.Request) *http.Response {
	return responses
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

type panicReader struct{}

func (panicReader) Read([]byte) (int, error) { panic(broken) }

// The Done of a panicContext panics.
type panicContext struct{ context.Context }

func (panicContext) Done() <-chan struct{} { panic(broken) }

func withPanicContext(req *http.Request) *http.Request {
	return req.WithContext(panicContext{req.Context()})
}

// panicAt returns a Logger that panics at the nth record with that message.
func panicAt(message string, nth int) *slog.Logger {
	n := 0
	return slog.New(kit.HandlerFunc(func(record slog.Record) {
		if record.Message != message {
			return
		}
		if n++; n == nth {
			panic(broken)
		}
	}))
}
