package contract

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/time/rate"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/validate"
)

// Request.Cancel is deprecated, and a RoundTripper still obeys it. It ends each wait that the end of a context ends, with
// the error that net/http's Transport returns.
func TestCancelEndsAnyWait(t *testing.T) {
	throttled := kit.Status(429, "Retry-After", "60")
	for _, test := range []struct {
		name    string
		answer  func(*http.Request) *http.Response
		retries int  // MaxRetries
		ceiling bool // of one request a minute
		primed  int  // requests before
		sent    int  // how often the cancelled request is sent
		cause   headway.Cause
	}{
		{name: "for quota", answer: kit.UsedUp(), primed: 1, cause: headway.CauseQuota},
		{name: "in a hold", answer: throttled, retries: -1, primed: 1, cause: headway.CauseHold},
		{name: "for a place", answer: kit.InFlight("1", openBody), primed: 1, cause: headway.CausePlaces},
		{name: "for the Ceiling", answer: kit.Status(200), ceiling: true, primed: 1, cause: headway.CauseCeiling},
		{name: "to be resent", answer: throttled, sent: 1, cause: headway.CauseHold},
		{name: "for the Ceiling, to be resent", answer: kit.Status(429, "Retry-After", "1"), ceiling: true, sent: 1, cause: headway.CauseCeiling},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				base := kit.InTurn(test.answer)
				transport := &headway.Transport{Base: base, MaxRetries: test.retries}
				if test.ceiling {
					transport.Ceiling = rate.NewLimiter(rate.Every(time.Minute), 1)
				}
				var cause headway.Cause
				abandoned := 0
				transport.Trace = &headway.Trace{
					Waiting:   func(_ context.Context, info headway.WaitingInfo) { cause = info.Cause },
					Abandoned: func(context.Context, headway.SentInfo) { abandoned++ },
				}
				for range test.primed {
					_, err := kit.Get(t.Context(), transport, kit.URL)
					require.NoError(t, err)
				}
				start := time.Now()
				req, body := cancellable(t, 5*time.Second)
				_, err := transport.RoundTrip(req)
				requireCanceled(t, err)
				require.Equal(t, 5*time.Second, time.Since(start))
				require.Equal(t, test.primed+test.sent, base.Sent())
				require.Equal(t, test.cause, cause)
				require.Equal(t, 1, abandoned)
				require.Equal(t, 1+test.sent, body.Closed, "each body once")
				state := transport.State()[0]
				require.Zero(t, state.Waiting)
				require.Equal(t, test.cause == headway.CausePlaces, state.InFlight > 0)
			})
		})
	}
}

// A value in the channel ends a request as the channel's closure does, as with net/http's Transport. Nothing is left of the
// request, so the next one goes.
func TestCancelByAValue(t *testing.T) {
	throttled := kit.Status(429, "Retry-After", "60")
	for _, test := range []struct {
		name      string
		transport *headway.Transport
		answers   []func(*http.Request) *http.Response
		primed    int // requests before
		sent      int // how often the cancelled request is sent
	}{
		{"in the queue", &headway.Transport{MaxRetries: -1}, []func(*http.Request) *http.Response{throttled, kit.Status(200)}, 1, 0},
		{"for the Ceiling", &headway.Transport{Ceiling: rate.NewLimiter(rate.Every(time.Minute), 1)}, []func(*http.Request) *http.Response{kit.Status(200)}, 1, 0},
		{"to be resent", &headway.Transport{}, []func(*http.Request) *http.Response{throttled, kit.Status(200)}, 0, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				base := kit.InTurn(test.answers...)
				test.transport.Base = base
				for range test.primed {
					kit.Prime(t, test.transport)
				}
				req := kit.NewRequest(t, kit.URL)
				cancel := make(chan struct{})
				req.Cancel = cancel //nolint:staticcheck // deprecated, but a RoundTripper's duty
				time.AfterFunc(5*time.Second, func() { cancel <- struct{}{} })
				start := time.Now()
				_, err := test.transport.RoundTrip(req)
				requireCanceled(t, err)
				require.Equal(t, 5*time.Second, time.Since(start))
				require.Equal(t, test.primed+test.sent, base.Sent())
				require.Zero(t, test.transport.State()[0].Waiting)
				kit.Prime(t, test.transport)
				require.Zero(t, test.transport.State()[0].InFlight)
			})
		})
	}
}

// openBody is a body that does not end.
func openBody() io.ReadCloser { return kit.NewTrackedBody("endless") }

// cancellable returns a POST request whose Cancel is closed after d, and its Body, also for resends.
func cancellable(t *testing.T, d time.Duration) (*http.Request, *kit.TrackedBody) {
	t.Helper()
	body := kit.NewTrackedBody("payload")
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, kit.URL, body)
	require.NoError(t, err)
	req.GetBody = func() (io.ReadCloser, error) { return body, nil }
	cancel := make(chan struct{})
	req.Cancel = cancel //nolint:staticcheck // deprecated, but a RoundTripper's duty
	if d == 0 {
		close(cancel)
	} else {
		time.AfterFunc(d, func() { close(cancel) })
	}
	return req, body
}

func requireCanceled(t *testing.T, err error) {
	t.Helper()
	require.EqualError(t, err, "net/http: request canceled")
	require.ErrorIs(t, err, context.Canceled)
}

// The error is that of net/http's Transport, whose value cannot be had.
func TestCancelIsToldAsNetHTTPDoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		here, there := net.Pipe()
		go func() { _, _ = io.Copy(io.Discard, there) }() // never answers
		real := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return here, nil }}
		req, _ := cancellable(t, time.Second)
		req.URL.Scheme = "http"
		_, err := real.RoundTrip(req)
		require.EqualError(t, err, "net/http: request canceled")
		synctest.Wait()
	})
}

// What is cancelled before the call is not sent, even if it would not wait.
func TestCancelledBeforeTheCall(t *testing.T) {
	base := kit.InTurn(kit.Status(200))
	transport := &headway.Transport{Base: base}
	req, body := cancellable(t, 0)
	_, err := transport.RoundTrip(req)
	requireCanceled(t, err)
	require.Zero(t, base.Sent())
	require.Equal(t, 1, body.Closed)
	require.Empty(t, transport.State())
}

// The end of the context comes first: its cause says more.
func TestCauseOfTheContextComesBeforeCancel(t *testing.T) {
	reason := errors.New("no longer needed")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(reason)
	req, _ := cancellable(t, 0)
	_, err := (&headway.Transport{Base: kit.InTurn(kit.Status(200))}).RoundTrip(req.WithContext(ctx))
	require.Same(t, reason, err)
}

// Of three that wait, the cancelled one leaves the queue, and the others keep their turns.
func TestCancelLeavesTheQueueToOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := kit.InTurn(kit.UsedUp(), kit.Status(200))
		transport := &headway.Transport{Base: base}
		kit.Prime(t, transport)
		errs := make([]error, 3)
		var group sync.WaitGroup
		for i := range errs {
			req, _ := cancellable(t, []time.Duration{time.Hour, time.Second, time.Hour}[i])
			group.Go(func() {
				resp, err := transport.RoundTrip(req)
				if errs[i] = err; err == nil {
					errs[i] = resp.Body.Close()
				}
			})
			synctest.Wait()
		}
		time.Sleep(time.Second)
		synctest.Wait()
		require.Equal(t, 2, transport.State()[0].Waiting)
		group.Wait()
		require.NoError(t, errs[0])
		requireCanceled(t, errs[1])
		require.NoError(t, errs[2])
		require.Equal(t, 3, base.Sent())
	})
}

// The request that a Transport above paces waits for the Ceiling of the one below, and is cancelled there too.
func TestCancelInTheCeilingBelow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := kit.InTurn(kit.Status(200))
		below := &headway.Transport{Base: base, Ceiling: rate.NewLimiter(rate.Every(time.Minute), 1)}
		transport := &headway.Transport{Base: below}
		kit.Prime(t, transport)
		start := time.Now()
		req, body := cancellable(t, 5*time.Second)
		_, err := transport.RoundTrip(req)
		requireCanceled(t, err)
		require.Equal(t, 5*time.Second, time.Since(start))
		require.Equal(t, 1, base.Sent())
		require.Equal(t, 1, body.Closed)
	})
}

// http.Client closes Cancel at its Timeout, so the error is a timeout for its caller, whatever has ended the wait.
func TestCancelByTheClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := &headway.Transport{Base: kit.InTurn(kit.InFlight("1", openBody))}
		_, err := kit.Get(t.Context(), transport, kit.URL)
		require.NoError(t, err)
		client := &http.Client{Transport: transport, Timeout: 10 * time.Second}
		start := time.Now()
		_, err = client.Do(kit.NewRequest(t, kit.URL))
		require.ErrorIs(t, err, context.DeadlineExceeded)
		var timeout interface{ Timeout() bool }
		require.ErrorAs(t, err, &timeout)
		require.True(t, timeout.Timeout())
		require.Equal(t, 10*time.Second, time.Since(start))
	})
}

// The caller sees its own request in the response, and not the copy that was resent, which has another Body.
func TestResponseHasTheCallersRequest(t *testing.T) {
	refused := kit.Status(429, "Retry-After", "1")
	for _, test := range []struct {
		name    string
		answers []func(*http.Request) *http.Response
		below   bool // another Transport is below, for which requests are marked
		status  int
	}{
		{"sent once", []func(*http.Request) *http.Response{kit.Status(200)}, false, 200},
		{"resent", []func(*http.Request) *http.Response{refused, kit.Status(200)}, false, 200},
		{"resent, with a Transport below", []func(*http.Request) *http.Response{refused, kit.Status(200)}, true, 200},
		{"throttled too often", []func(*http.Request) *http.Response{refused}, false, 429},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var seen []*http.Request // by Limits
				transport := &headway.Transport{Base: kit.InTurn(test.answers...), Limits: func(resp *http.Response) validate.Reading {
					seen = append(seen, resp.Request)
					return validate.Reading{RetryAfter: -1}
				}}
				if test.below {
					transport.Base = &headway.Transport{Base: transport.Base}
				}
				req, body := cancellable(t, time.Hour)
				resp, err := transport.RoundTrip(req)
				require.NoError(t, err)
				require.NoError(t, resp.Body.Close())
				require.Equal(t, test.status, resp.StatusCode)
				require.Same(t, req, resp.Request)
				require.Same(t, body, req.Body)
				for _, one := range seen {
					require.Same(t, req, one)
				}
			})
		})
	}
}

// A layer below that sends a request of its own names that one, and this is left as it came.
func TestRequestOfALayerBelowIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var own *http.Request
		answers := kit.InTurn(kit.Status(429, "Retry-After", "1"), kit.Status(200))
		transport := &headway.Transport{Base: kit.BaseFunc(func(req *http.Request) (*http.Response, error) {
			own = req.Clone(req.Context())
			return answers.RoundTrip(own)
		})}
		req, _ := cancellable(t, time.Hour)
		resp, err := transport.RoundTrip(req)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		require.Same(t, own, resp.Request)
	})
}
