package kit

import (
	"context"
	"errors"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// URL is the URL of tests for which any URL will do. Origin is its origin and its partition's name.
const (
	Origin = "https://api.example.com"
	URL    = Origin + "/things"
)

// Epoch is a time whose seconds since 1970 are too large for a delay. The seconds of 2000, when bubbles
// begin, are not.
func Epoch() time.Time { return time.Date(2030, time.January, 1, 0, 0, 0, 0, time.UTC) }

// Secret is a key for snapshots of the shortest length.
func Secret() []byte { return []byte("sixteen bytes or") }

// NewRequest returns a GET request with the test's context.
func NewRequest(tb testing.TB, url string, fields ...string) *http.Request {
	tb.Helper()
	req, err := http.NewRequestWithContext(tb.Context(), http.MethodGet, url, http.NoBody)
	require.NoError(tb, err)
	req.Header = Fields(fields...)
	return req
}

// Within returns the test's context, which ends after d; if d is 0 it has no deadline.
func Within(tb testing.TB, d time.Duration) context.Context {
	tb.Helper()
	if d == 0 {
		return tb.Context()
	}
	ctx, cancel := context.WithTimeout(tb.Context(), d)
	tb.Cleanup(cancel)
	return ctx
}

// Get makes a GET request of url through rt. It may be called from any goroutine.
func Get(ctx context.Context, rt http.RoundTripper, url string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	return rt.RoundTrip(req)
}

// Fetch makes a GET request of url through rt, and reads the response to its end. It may be called from any goroutine.
func Fetch(ctx context.Context, rt http.RoundTripper, url string) error {
	resp, err := Get(ctx, rt, url)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return errors.Join(err, resp.Body.Close())
}

// Prime makes one request to URL, so that the transport learns its limits.
func Prime(tb testing.TB, rt http.RoundTripper) {
	tb.Helper()
	require.NoError(tb, Fetch(tb.Context(), rt, URL))
}

// ReadAll returns the body of resp, and closes it.
func ReadAll(tb testing.TB, resp *http.Response) string {
	tb.Helper()
	body, err := io.ReadAll(resp.Body)
	require.NoError(tb, err)
	require.NoError(tb, resp.Body.Close())
	return string(body)
}

// RequireHeld checks how long a hold delayed a request: not less than the hold, and at most a second
// more.
func RequireHeld(tb testing.TB, announced, held time.Duration) {
	tb.Helper()
	require.GreaterOrEqual(tb, held, announced, "never earlier than announced")
	require.LessOrEqual(tb, held, announced+time.Second)
}
