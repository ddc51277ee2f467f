package hostile

import (
	"io"
	"maps"
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/test/kit"
)

// first makes a request and checks that the response is exactly the server's.
func first(t *testing.T, rt http.RoundTripper, status int, header http.Header) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, kit.ServerURL, http.NoBody)
	require.NoError(t, err)
	resp, err := rt.RoundTrip(req)
	require.NoError(t, err)
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	require.Equal(t, status, resp.StatusCode)
	require.Equal(t, "body", string(body))
	require.True(t, maps.EqualFunc(header, resp.Header, slices.Equal[[]string]), "header was changed") // not require.Equal, which would print ten megabytes
}
