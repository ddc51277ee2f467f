package contract

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
)

func TestCheckRetry(t *testing.T) {
	broken := errors.New("connection reset")
	to := func(method string, fields ...string) *http.Request {
		req := kit.NewRequest(t, kit.URL, fields...)
		req.Method = method
		return req
	}
	for _, row := range []struct {
		name string
		resp *http.Response
		err  error
		asks bool // the next function decides
	}{
		{"refused", nil, &url.Error{Op: "Get", URL: kit.URL, Err: &headway.LimitError{Err: headway.ErrMaxWait}}, false},
		{"another error", nil, broken, true},
		{"200", kit.Respond(to(http.MethodGet), 200), nil, true},
		{"429", kit.Respond(to(http.MethodPost), 429), nil, false},
		{"503", kit.Respond(to(http.MethodGet), 503), nil, true},
		{"503 with Retry-After", kit.Respond(to(http.MethodGet), 503, "Retry-After", "1"), nil, false},
		{"503 with Retry-After to a POST", kit.Respond(to(http.MethodPost), 503, "Retry-After", "1"), nil, true},
		{"503 with Retry-After to a POST with a key", kit.Respond(to(http.MethodPost, "Idempotency-Key", "1"), 503, "Retry-After", "1"), nil, false},
		{"503 with a Retry-After that says nothing", kit.Respond(to(http.MethodGet), 503, "Retry-After", "soon"), nil, true},
		{"403", kit.Respond(to(http.MethodGet), 403), nil, true},
		{"403 with Retry-After", kit.Respond(to(http.MethodGet), 403, "Retry-After", "1"), nil, false},
		{"403 for good", kit.Respond(to(http.MethodGet), 403, "X-Should-Retry", "false"), nil, true},
		{"503 for good to a POST", kit.Respond(to(http.MethodPost), 503, "Retry-After", "0", "X-Should-Retry", "false"), nil, false},
		{"529 of a host that has a profile", kit.Respond(kit.NewRequest(t, "https://api.anthropic.com/v1"), 529), nil, false},
		{"nothing at all", nil, nil, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			asked := false
			check := headway.CheckRetry(func(_ context.Context, resp *http.Response, err error) (bool, error) {
				asked = true
				require.Same(t, row.resp, resp)
				require.Equal(t, row.err, err)
				return true, broken
			})
			retry, err := check(t.Context(), row.resp, row.err)
			require.Equal(t, row.asks, asked)
			require.Equal(t, row.asks, retry)
			if row.asks {
				require.ErrorIs(t, err, broken)
			} else {
				require.NoError(t, err)
			}
		})
	}
}

// A refusal that a Transport makes itself is not retried.
func TestCheckRetryOfARefusalWithAResponse(t *testing.T) {
	transport := &headway.Transport{
		Base: kit.InTurn(kit.Status(http.StatusTooManyRequests, "Retry-After", "3000")), Refusal: headway.RefuseWithResponse, MaxWait: time.Minute,
	}
	kit.Prime(t, transport)
	resp, err := kit.Get(t.Context(), transport, kit.URL)
	require.NoError(t, err)
	retry, err := headway.CheckRetry(nil)(t.Context(), resp, nil)
	require.NoError(t, err)
	require.False(t, retry)
}
