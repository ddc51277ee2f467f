package headway

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"
)

// with returns a request of that URL and header.
func with(tb testing.TB, rawURL string, fields ...string) *http.Request {
	tb.Helper()
	req := newRequest(tb, rawURL)
	for i := 0; i < len(fields); i += 2 {
		req.Header.Add(fields[i], fields[i+1])
	}
	return req
}

func TestDefaultPartitionOfOrigins(t *testing.T) {
	for _, test := range []struct{ name, url, want string }{
		{"plain", "https://api.example.com/a?b=c#d", "https://api.example.com"},
		{"scheme", "http://api.example.com/", "http://api.example.com"},
		{"upper case", "HTTPS://API.Example.COM/", "https://api.example.com"},
		{"default port of https", "https://api.example.com:443/", "https://api.example.com"},
		{"default port of http", "http://api.example.com:80/", "http://api.example.com"},
		{"other port", "https://api.example.com:8443/", "https://api.example.com:8443"},
		{"default port of the other scheme", "https://api.example.com:80/", "https://api.example.com:80"},
		{"port that ends alike", "http://api.example.com:8080/", "http://api.example.com:8080"},
		{"IPv6", "http://[::1]:80/", "http://[::1]"},
		{"IPv6 that ends alike", "http://[::80]/", "http://[::80]"},
	} {
		t.Run(test.name, func(t *testing.T) {
			require.Equal(t, test.want, DefaultPartition(newRequest(t, test.url)))
		})
	}
}

func TestDefaultPartitionOfOddRequests(t *testing.T) {
	require.Equal(t, "https://api.example.com", DefaultPartition(&http.Request{URL: &url.URL{Scheme: "https", Host: "api.example.com:"}}))
	require.Empty(t, DefaultPartition(&http.Request{URL: &url.URL{Path: "/only"}}))
	require.Empty(t, DefaultPartition(&http.Request{URL: &url.URL{Scheme: "https", Path: "/only"}}))
	require.Empty(t, DefaultPartition(&http.Request{URL: &url.URL{Host: "api.example.com"}}))
}

func TestDefaultPartitionShowsNoSecret(t *testing.T) {
	for _, req := range []*http.Request{
		with(t, testURL, "Authorization", "Bearer hunter2"),
		with(t, "https://me:hunter2@api.example.com/"),
		with(t, testURL, "X-Api-Key", "hunter2"),
	} {
		name := DefaultPartition(req)
		require.Regexp(t, `^https://api\.example\.com#[0-9a-f]{16}$`, name)
		require.Equal(t, name, DefaultPartition(req))
	}
}

func TestEmptyPartitionGoesStraightToBase(t *testing.T) {
	base := inTurn(status(429, "Retry-After", "60"))
	transport := &Transport{Base: base, Partition: func(*http.Request) string { return "" }}
	for range 3 { // neither held nor resent
		resp, err := get(t.Context(), transport, testURL)
		require.NoError(t, err)
		require.Equal(t, 429, resp.StatusCode)
		require.NoError(t, resp.Body.Close())
	}
	require.Equal(t, 3, base.sent())
	require.Empty(t, transport.State())
}

func TestOriginsAreKeptApart(t *testing.T) {
	transport := &Transport{Base: inTurn(status(200))}
	var names []string
	for _, url := range []string{"https://a.example.com/", "http://a.example.com/", "https://b.example.com/", "https://a.example.com/"} {
		resp, err := get(t.Context(), transport, url)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
	}
	for _, state := range transport.State() {
		names = append(names, state.Partition)
	}
	require.Equal(t, []string{"http://a.example.com", "https://a.example.com", "https://b.example.com"}, names)
}

func TestChosenPartitionsAreKeptApart(t *testing.T) {
	transport := &Transport{
		Base:      inTurn(status(200)),
		Partition: func(req *http.Request) string { return DefaultPartition(req) + " " + req.URL.Path },
	}
	for _, path := range []string{"/search", "/core", "/search"} {
		resp, err := get(t.Context(), transport, "https://api.example.com"+path)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
	}
	var names []string
	for _, state := range transport.State() {
		names = append(names, state.Partition)
	}
	require.Equal(t, []string{"https://api.example.com /core", "https://api.example.com /search"}, names)
}
