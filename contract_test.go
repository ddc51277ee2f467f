package headway

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/time/rate"
)

// One test for each duty of a RoundTripper, as far as it shows without a
// network. Those that need one are in contract_wire_test.go.

func TestRequestIsNotModified(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := inTurn(status(429, "Retry-After", "1"), status(200))
		transport := &Transport{Base: base}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, testURL, strings.NewReader("payload"))
		require.NoError(t, err)
		req.Header.Set("Authorization", "Bearer secret")
		body := newTrackedBody("payload")
		req.Body = body
		before := req.Clone(t.Context())

		resp, err := transport.RoundTrip(req)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		require.Equal(t, []string{"payload", "payload"}, base.bodies)
		require.Equal(t, before.Header, req.Header)
		require.Equal(t, before.URL, req.URL)
		require.Same(t, body, req.Body, "the resend has a body of its own")
		require.Equal(t, before.ContentLength, req.ContentLength)
		require.Equal(t, t.Context(), req.Context())
	})
}

func TestBodyIsAlwaysClosed(t *testing.T) {
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for _, test := range []struct {
		name      string
		transport *Transport
		context   func(context.Context) (context.Context, context.CancelFunc)
		fresh     bool // no limit is known yet
		noURL     bool
		wantErr   bool
	}{
		{name: "sent", fresh: true},
		{name: "not paced", transport: &Transport{Partition: func(*http.Request) string { return "" }}, fresh: true},
		{name: "no URL", noURL: true, fresh: true, wantErr: true},
		{
			name: "context done before", wantErr: true,
			context: func(context.Context) (context.Context, context.CancelFunc) { return cancelled, cancel },
		},
		{
			name: "context done while waiting", wantErr: true,
			context: func(ctx context.Context) (context.Context, context.CancelFunc) {
				ctx, cancel := context.WithCancel(ctx)
				time.AfterFunc(time.Second, cancel)
				return ctx, cancel
			},
		},
		{
			name: "refused", wantErr: true,
			context: func(ctx context.Context) (context.Context, context.CancelFunc) {
				return context.WithTimeout(ctx, time.Second)
			},
		},
		{name: "refused with a response", transport: &Transport{MaxWait: time.Second, Refusal: RefuseWithResponse}},
		{name: "refused by MaxWait", transport: &Transport{MaxWait: time.Second}, wantErr: true},
		{name: "refused by the Ceiling", transport: &Transport{Ceiling: rate.NewLimiter(0, 0)}, fresh: true, wantErr: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				transport := test.transport
				if transport == nil {
					transport = &Transport{}
				}
				transport.Base = baseFunc(func(req *http.Request) (*http.Response, error) {
					if req.URL == nil {
						closeBody(req)
						return nil, errors.New("no URL")
					}
					return usedUp()(req), nil
				})
				if !test.fresh {
					prime(t, transport)
				}
				ctx := t.Context()
				if test.context != nil {
					var stop context.CancelFunc
					ctx, stop = test.context(ctx)
					defer stop()
				}
				body := newTrackedBody("payload")
				req, err := http.NewRequestWithContext(ctx, http.MethodPost, testURL, body)
				require.NoError(t, err)
				if test.noURL {
					req.URL = nil
				}
				resp, err := transport.RoundTrip(req)
				require.Equal(t, test.wantErr, err != nil, "%v", err)
				if err == nil {
					require.NoError(t, resp.Body.Close())
				}
				require.Equal(t, 1, body.closed)
			})
		})
	}
}

func TestReplayedBodyIsClosedWhenNotSent(t *testing.T) {
	for _, test := range []struct {
		name    string
		timeout time.Duration // of the request; the resend would start after 10 s
		cancel  time.Duration
	}{
		{name: "no time for a resend", timeout: 5 * time.Second},
		{name: "context done while waiting for the resend", timeout: time.Minute, cancel: 5 * time.Second},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				base := inTurn(status(429, "Retry-After", "10"), status(200))
				transport := &Transport{Base: base}
				ctx, cancel := context.WithTimeout(t.Context(), test.timeout)
				defer cancel()
				if test.cancel > 0 {
					time.AfterFunc(test.cancel, cancel)
				}
				first, second := newTrackedBody("payload"), newTrackedBody("payload")
				req, err := http.NewRequestWithContext(ctx, http.MethodPost, testURL, first)
				require.NoError(t, err)
				req.GetBody = func() (io.ReadCloser, error) { return second, nil }
				resp, err := transport.RoundTrip(req)
				if err == nil {
					require.NoError(t, resp.Body.Close())
				}
				require.Equal(t, 1, base.sent())
				require.Equal(t, 1, second.closed)
			})
		})
	}
}

func TestAnyStatusIsHandedBack(t *testing.T) {
	for _, code := range []int{200, 204, 206, 299, 301, 304, 400, 401, 403, 404, 418, 429, 499, 500, 502, 503, 599} {
		t.Run(fmt.Sprint(code), func(t *testing.T) {
			want := respond(newRequest(t, testURL), code, "X-Anything", "at all")
			want.Body = newTrackedBody("text")
			transport := &Transport{
				Base:       baseFunc(func(*http.Request) (*http.Response, error) { return want, nil }),
				MaxRetries: -1,
			}
			before, body := want.Header.Clone(), want.Body
			resp, err := get(t.Context(), transport, testURL)
			require.NoError(t, err)
			require.Same(t, want, resp)
			require.Same(t, body, resp.Body)
			require.Equal(t, before, resp.Header)
			require.NoError(t, resp.Body.Close())
		})
	}
}

func TestErrorOfBaseIsHandedBack(t *testing.T) {
	broken := errors.New("broken")
	transport := &Transport{Base: baseFunc(func(*http.Request) (*http.Response, error) { return nil, broken })}
	_, err := get(t.Context(), transport, testURL)
	require.Same(t, broken, err)
	require.Zero(t, transport.State()[0].InFlight)
}

func TestPanicOfBaseTakesNoPlace(t *testing.T) {
	transport := &Transport{Base: baseFunc(func(*http.Request) (*http.Response, error) { panic("broken") })}
	require.PanicsWithValue(t, "broken", func() { _, _ = get(t.Context(), transport, testURL) })
	require.Zero(t, transport.State()[0].InFlight)
}

func TestMalformedHeadersAreHarmless(t *testing.T) {
	for _, test := range []struct{ name, field, value string }{
		{"no list", "RateLimit", `"a";r=50;t=30,`},
		{"overflow", "RateLimit", `"a";r=99999999999999999999;t=30`},
		{"nested quotes", "RateLimit-Policy", `"a"b";q=1"`},
		{"NaN", "X-RateLimit-Remaining", "NaN"},
		{"negative", "RateLimit-Remaining", "-5"},
		{"far reset", "X-RateLimit-Reset", "9223372036854775807"},
		{"no date", "Retry-After", "the day after tomorrow"},
		{"not ASCII", "Retry-After", "\xff\xfe"},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				transport := &Transport{Base: inTurn(status(200, test.field, test.value))}
				for range 20 {
					prime(t, transport)
				}
				require.Less(t, time.Since(transport.partitions.clock.origin), time.Minute)
			})
		})
	}
}

func TestContextCancelledWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := inTurn(usedUp())
		transport := &Transport{Base: base}
		prime(t, transport)
		start := time.Now()
		reason := errors.New("no longer needed")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(2*time.Second, func() { cancel(reason) })
		_, err := get(ctx, transport, testURL)
		require.Same(t, reason, err, "the cause, as net/http returns it")
		require.Equal(t, 2*time.Second, time.Since(start))
		require.Equal(t, 1, base.sent())
		state := transport.State()[0]
		require.Zero(t, state.Waiting)
		require.Zero(t, state.InFlight)
	})
}

func TestDeadlineIsRefusedAtOnce(t *testing.T) {
	for _, test := range []struct {
		name string
		do   func(ctx context.Context, transport *Transport) error
	}{
		{"context", func(ctx context.Context, transport *Transport) error {
			ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
			defer cancel()
			_, err := get(ctx, transport, testURL)
			return err
		}},
		{"http.Client.Timeout", func(ctx context.Context, transport *Transport) error {
			client := &http.Client{Transport: transport, Timeout: 10 * time.Second}
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, testURL, nil)
			if err != nil {
				return err
			}
			_, err = client.Do(req)
			return err
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				base := inTurn(usedUp())
				transport := &Transport{Base: base}
				prime(t, transport)
				start := time.Now()
				err := test.do(t.Context(), transport)
				require.Zero(t, time.Since(start))
				var limit *LimitError
				require.ErrorAs(t, err, &limit)
				require.ErrorIs(t, err, context.DeadlineExceeded)
				require.NotErrorIs(t, err, ErrMaxWait)
				var timeout interface{ Timeout() bool }
				require.ErrorAs(t, err, &timeout)
				require.True(t, timeout.Timeout())
				require.Equal(t, "https://api.example.com", limit.Partition)
				require.Equal(t, "minute", limit.Policy)
				require.GreaterOrEqual(t, limit.Wait, 59*time.Second)
				require.Equal(t, limit.Wait, limit.RetryAt.Sub(start))
				require.Equal(t, 1, base.sent())
			})
		})
	}
}

func TestThrottledAnswerIsHandedBackWhenAResendWouldMissTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := inTurn(func(req *http.Request) *http.Response {
			resp := respond(req, 429, "Retry-After", "30", "X-Reason", "too many")
			resp.Body = newTrackedBody("slow down")
			return resp
		})
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		start := time.Now()
		resp, err := get(ctx, &Transport{Base: base}, testURL)
		require.NoError(t, err)
		require.Zero(t, time.Since(start))
		require.Equal(t, 429, resp.StatusCode)
		require.Equal(t, "too many", resp.Header.Get("X-Reason"))
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		require.Equal(t, "slow down", string(body))
		require.NoError(t, resp.Body.Close())
		require.Equal(t, 1, base.sent())
	})
}

// A server that answers only when there is news must not keep other requests
// back: not even on a fresh client, which else waits for its first answer.
func TestLongPollDelaysNoOneForLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := &Transport{Base: baseFunc(func(req *http.Request) (*http.Response, error) {
			if strings.HasSuffix(req.URL.Path, "/poll") {
				select {
				case <-time.After(time.Hour):
				case <-req.Context().Done():
					return nil, req.Context().Err()
				}
			}
			return respond(req, 200), nil
		})}
		ctx, stopPolls := context.WithCancel(t.Context())
		var polls sync.WaitGroup
		for range 3 {
			polls.Go(func() { _, _ = get(ctx, transport, testURL+"/poll") })
		}
		synctest.Wait()
		start := time.Now()
		prime(t, transport)
		require.LessOrEqual(t, time.Since(start), time.Second)
		stopPolls()
		polls.Wait()
	})
}

// A Base may fetch a token through the same Transport while a request that
// needs it is on its way.
func TestTokenRefreshThroughTheSameTransport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := &Transport{}
		transport.Base = baseFunc(func(req *http.Request) (*http.Response, error) {
			if req.URL.Path != "/token" {
				resp, err := get(req.Context(), transport, "https://api.example.com/token")
				if err != nil {
					return nil, err
				}
				_ = resp.Body.Close()
			}
			return respond(req, 200), nil
		})
		var clients sync.WaitGroup
		for range 10 {
			clients.Go(func() {
				resp, err := get(t.Context(), transport, testURL)
				if err == nil {
					err = resp.Body.Close()
				}
				if err != nil {
					t.Error(err)
				}
			})
		}
		clients.Wait()
	})
}

func TestConcurrentUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := &Transport{Base: inTurn(
			status(200, "RateLimit", `"a";r=40;t=1`, "RateLimit-Policy", `"a";q=50;w=1`),
			status(429, "Retry-After", "1"),
			status(200, "RateLimit", `"a";r=45;t=1`, "RateLimit-Policy", `"a";q=50;w=1`),
		)}
		var clients sync.WaitGroup
		for i := range 20 {
			clients.Go(func() {
				for j := range 20 {
					ctx, cancel := context.WithTimeout(t.Context(), time.Duration(j)*time.Second)
					resp, err := get(ctx, transport, fmt.Sprintf("https://host%d.example.com/", i%3))
					if err == nil {
						_ = resp.Body.Close()
					}
					cancel()
					transport.State()
					transport.CloseIdleConnections()
				}
			})
		}
		clients.Wait()
		for _, state := range transport.State() {
			require.Zero(t, state.Waiting, state.Partition)
			require.Zero(t, state.InFlight, state.Partition)
		}
	})
}
