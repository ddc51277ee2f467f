package contract

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/time/rate"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
)

// There is one test for each duty of a RoundTripper. This file has the duties for requests and
// responses, concurrent_test.go those for many requests at once.

func TestRequestIsNotModified(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := kit.InTurn(kit.Status(429, "Retry-After", "1"), kit.Status(200))
		transport := &headway.Transport{Base: base}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, kit.URL, strings.NewReader("payload"))
		require.NoError(t, err)
		req.Header.Set("Authorization", "Bearer secret")
		body := kit.NewTrackedBody("payload")
		req.Body = body
		before := req.Clone(t.Context())

		resp, err := transport.RoundTrip(req)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		require.Equal(t, []string{"payload", "payload"}, base.Bodies)
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
		transport *headway.Transport
		context   func(context.Context) (context.Context, context.CancelFunc)
		fresh     bool // no limit is known yet
		throttled bool // to be sent again after ten seconds
		noURL     bool
		wantErr   bool
	}{
		{name: "not paced", transport: &headway.Transport{Partition: func(*http.Request) string { return "" }}, fresh: true},
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
		{
			name: "context done while waiting to be sent again", fresh: true, throttled: true, wantErr: true,
			context: func(ctx context.Context) (context.Context, context.CancelFunc) {
				ctx, cancel := context.WithCancel(ctx)
				time.AfterFunc(5*time.Second, cancel)
				return ctx, cancel
			},
		},
		{name: "refused with a response", transport: &headway.Transport{MaxWait: time.Second, Refusal: headway.RefuseWithResponse}},
		{name: "refused by the Ceiling", transport: &headway.Transport{Ceiling: rate.NewLimiter(0, 0)}, fresh: true, wantErr: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				transport := test.transport
				if transport == nil {
					transport = &headway.Transport{}
				}
				transport.Base = kit.BaseFunc(func(req *http.Request) (*http.Response, error) {
					if req.URL == nil {
						_ = req.Body.Close()
						return nil, errors.New("no URL")
					}
					if test.throttled {
						return kit.Respond(req, 429, "Retry-After", "10"), nil
					}
					return kit.UsedUp()(req), nil
				})
				if !test.fresh {
					kit.Prime(t, transport)
				}
				ctx := t.Context()
				if test.context != nil {
					var stop context.CancelFunc
					ctx, stop = test.context(ctx)
					defer stop()
				}
				bodies := []*kit.TrackedBody{kit.NewTrackedBody("payload")}
				req, err := http.NewRequestWithContext(ctx, http.MethodPost, kit.URL, bodies[0])
				require.NoError(t, err)
				req.GetBody = func() (io.ReadCloser, error) {
					bodies = append(bodies, kit.NewTrackedBody("payload"))
					return bodies[len(bodies)-1], nil
				}
				if test.noURL {
					req.URL = nil
				}
				resp, err := transport.RoundTrip(req)
				require.Equal(t, test.wantErr, err != nil, "%v", err)
				if err == nil {
					require.NoError(t, resp.Body.Close())
				}
				require.Equal(t, test.throttled, len(bodies) > 1)
				for _, body := range bodies {
					require.Equal(t, 1, body.Closed)
				}
			})
		})
	}
}

// A response is handed back as it is, and its Body too, unless the number of requests in flight is limited.
func TestAnyStatusIsHandedBack(t *testing.T) {
	for _, code := range []int{200, 204, 304, 403, 404, 429, 503, 599} {
		t.Run(fmt.Sprint(code), func(t *testing.T) {
			want := kit.Respond(kit.NewRequest(t, kit.URL), code, "X-Anything", "at all", "RateLimit", `"a";r=50;t=30`, "RateLimit-Policy", `"a";q=100;w=60`)
			want.Body = kit.NewTrackedBody("text")
			transport := &headway.Transport{
				Base:       kit.BaseFunc(func(*http.Request) (*http.Response, error) { return want, nil }),
				MaxRetries: -1,
			}
			before, body := want.Header.Clone(), want.Body
			resp, err := kit.Get(t.Context(), transport, kit.URL)
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
	transport := &headway.Transport{Base: kit.BaseFunc(func(*http.Request) (*http.Response, error) { return nil, broken })}
	_, err := kit.Get(t.Context(), transport, kit.URL)
	require.Same(t, broken, err)
	require.Zero(t, transport.State()[0].InFlight)
}
