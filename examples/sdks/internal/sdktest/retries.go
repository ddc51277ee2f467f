package sdktest

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require" //nolint:depguard // only tests import this package

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/ratelimittest"
)

// Retries tests an SDK that has retries of its own: after a refusal only headway may send the request again,
// and after other failures only the SDK, or nobody. C is the SDK's client, and O is an option for it. All
// fields must be set. Retries does not change them.
type Retries[C, O any] struct {
	New, NewRetrying Constructor[C, O]                        // the recipe's
	Call             func(context.Context, C) (string, error) // makes one call and returns the text in its response
	WithTimeout      func(time.Duration) O                    // bounds a call

	// Error requires that err is the SDK's error for a response, and returns the response.
	Error func(t *testing.T, err error) *http.Response

	// Limits makes h the API, with so many requests per window.
	Limits func(h *ratelimittest.Handler, requests int64, window time.Duration)

	Refusal     http.Handler  // the API's 429
	RetryAfter  time.Duration // the wait that Refusal asks for
	ServerError string        // the body of the API's 500
	Answer      string        // the body with which Call succeeds
	Says        string        // what Call then returns
	Request     string        // the body that Call sends, as JSON
}

// A Constructor makes a client that sends through transport.
type Constructor[C, O any] func(key string, transport http.RoundTripper, options ...O) C

// Test runs the tests, in virtual time.
func (r Retries[C, O]) Test(t *testing.T) {
	t.Helper()
	t.Run("SingleRetryOwner", r.singleRetryOwner)
	t.Run("OwnRefusal", r.ownRefusal)
	t.Run("OwnRefusalWithRetries", r.ownRefusalWithRetries)
	t.Run("ServerError", r.serverError)
}

// Only headway sends a refused call again, once and with its body.
func (r Retries[C, O]) singleRetryOwner(t *testing.T) {
	for _, row := range []struct {
		name   string
		client Constructor[C, O]
	}{{"New", r.New}, {"NewRetrying", r.NewRetrying}} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := &Journal{Next: First(1, r.Refusal, JSON(http.StatusOK, r.Answer))}
				calls := &Counter{Base: &headway.Transport{Base: &ratelimittest.Transport{Handler: server}}}
				begun := time.Now()
				RequireResent(t, calls, server, func() error {
					text, err := r.Call(t.Context(), row.client("key", calls))
					require.Equal(t, r.Says, text)
					return err
				})
				require.JSONEq(t, r.Request, server.Bodies[0])
				require.Positive(t, r.RetryAfter)
				require.GreaterOrEqual(t, time.Since(begun), r.RetryAfter)
			})
		})
	}
}

// A refusal by headway itself is not retried, and says when the request could be sent.
func (r Retries[C, O]) ownRefusal(t *testing.T) {
	test := func(t *testing.T, b Bound) {
		t.Helper()
		var h ratelimittest.Handler
		r.Limits(&h, 1, 10*time.Minute)
		sent := &Counter{Base: &ratelimittest.Transport{Handler: &h}}
		calls := &Counter{Base: &headway.Transport{Base: sent, MaxWait: b.MaxWait}}
		var options []O
		if b.Timeout > 0 {
			options = append(options, r.WithTimeout(b.Timeout))
		}
		client := r.New("key", calls, options...)
		call := func(ctx context.Context) error {
			_, err := r.Call(ctx, client)
			return err
		}
		require.NoError(t, call(t.Context()))
		wait := b.RequireRefused(t, calls, sent, call)
		require.Equal(t, 10*time.Minute, wait.Round(time.Minute))
	}
	Bounds(t, test)
	ClientTimeout(t, test)
}

// With NewRetrying a refusal by headway is the SDK's error for a 429. Refused distinguishes it from one by
// the server.
func (r Retries[C, O]) ownRefusalWithRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var h ratelimittest.Handler
		r.Limits(&h, 1, 10*time.Minute)
		calls := &Counter{Base: &headway.Transport{
			Base: &ratelimittest.Transport{Handler: &h}, MaxWait: 5 * time.Second, Refusal: headway.RefuseWithResponse,
		}}
		client := r.NewRetrying("key", calls)
		_, err := r.Call(t.Context(), client)
		require.NoError(t, err)
		_, err = r.Call(t.Context(), client)
		resp := r.Error(t, err) //nolint:bodyclose // the SDK has read it
		require.Equal(t, http.StatusTooManyRequests, resp.StatusCode)
		limit, ok := headway.Refused(resp)
		require.True(t, ok)
		require.ErrorIs(t, limit, headway.ErrMaxWait)
		require.Equal(t, 2, calls.Calls())
		require.Len(t, h.Arrivals(), 1)
	})
}

// With NewRetrying the SDK retries after a failure that is not a limit. With New nobody does.
func (r Retries[C, O]) serverError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		failing := func() *Counter {
			handler := First(1, JSON(http.StatusInternalServerError, r.ServerError), JSON(http.StatusOK, r.Answer))
			return &Counter{Base: &headway.Transport{Base: &ratelimittest.Transport{Handler: handler}}}
		}
		calls := failing()
		_, err := r.Call(t.Context(), r.NewRetrying("key", calls))
		require.NoError(t, err)
		require.Equal(t, 2, calls.Calls())

		calls = failing()
		_, err = r.Call(t.Context(), r.New("key", calls))
		resp := r.Error(t, err) //nolint:bodyclose // the SDK has read it
		require.Equal(t, http.StatusInternalServerError, resp.StatusCode)
		require.Equal(t, 1, calls.Calls())
	})
}
