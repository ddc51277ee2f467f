package kit

import (
	"context"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// URL is what is asked for where it matters to nobody; Origin is its origin, and so its
// partition's name.
const (
	Origin = "https://api.example.com"
	URL    = Origin + "/things"
)

// Epoch is a time whose seconds since 1970 do not pass for a delay, as those of 2000, when
// bubbles begin, do.
func Epoch() time.Time { return time.Date(2030, time.January, 1, 0, 0, 0, 0, time.UTC) }

// Secret is a key for snapshots, of the least length.
func Secret() []byte { return []byte("sixteen bytes or") }

// NewRequest makes a GET request in the test's context.
func NewRequest(tb testing.TB, url string, fields ...string) *http.Request {
	tb.Helper()
	req, err := http.NewRequestWithContext(tb.Context(), http.MethodGet, url, http.NoBody)
	require.NoError(tb, err)
	req.Header = Fields(fields...)
	return req
}

// Get makes a GET request of url through rt. It may be called from any goroutine.
func Get(ctx context.Context, rt http.RoundTripper, url string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	return rt.RoundTrip(req)
}

// Prime makes one request of URL, so that the transport learns what its server tells.
func Prime(tb testing.TB, rt http.RoundTripper) {
	tb.Helper()
	resp, err := Get(tb.Context(), rt, URL)
	require.NoError(tb, err)
	require.NoError(tb, resp.Body.Close())
}

// ReadAll returns the body of resp, and closes it.
func ReadAll(tb testing.TB, resp *http.Response) string {
	tb.Helper()
	body, err := io.ReadAll(resp.Body)
	require.NoError(tb, err)
	require.NoError(tb, resp.Body.Close())
	return string(body)
}

// RequireHeld checks how long a request was held: never less than told, and clients come back
// within a second.
func RequireHeld(tb testing.TB, told, held time.Duration) {
	tb.Helper()
	require.GreaterOrEqual(tb, held, told, "never earlier than told")
	require.LessOrEqual(tb, held, told+time.Second)
}
