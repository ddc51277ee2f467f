package identity

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

const testURL = "https://api.example.com/things"

// request returns a request with that URL and header, given as pairs of name and value.
func request(tb testing.TB, rawURL string, fields ...string) *http.Request {
	tb.Helper()
	req, err := http.NewRequestWithContext(tb.Context(), http.MethodGet, rawURL, http.NoBody)
	require.NoError(tb, err)
	for i := 0; i < len(fields); i += 2 {
		req.Header.Add(fields[i], fields[i+1])
	}
	return req
}

// nameOf returns the Name of a request's partition.
func nameOf(req *http.Request) string {
	return Default(req).String()
}
