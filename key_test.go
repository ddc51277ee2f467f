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

// What names are made of is tested in internal/identity.
func TestDefaultPartition(t *testing.T) {
	require.Equal(t, "https://api.example.com", DefaultPartition(newRequest(t, "HTTPS://API.Example.com:443/a?b=c#d")))
	require.Regexp(t, `^https://api\.example\.com#[0-9a-f]{16}$`, DefaultPartition(with(t, testURL, "X-Api-Key", "hunter2")))
	require.Empty(t, DefaultPartition(&http.Request{URL: &url.URL{Path: "/only"}}))
}

// Many hosts behind one address have limits of their own, and one host behind many
// addresses has but one.
func TestVirtualHostsAreKeptApart(t *testing.T) {
	transport := &Transport{Base: inTurn(status(200))}
	for _, test := range []struct{ url, host string }{
		{"https://10.0.0.1/", "a.example.com"},
		{"https://10.0.0.1/", "B.example.com:443"},
		{"https://10.0.0.2/", "a.example.com"},
		{"https://b.example.com/", ""},
	} {
		req := newRequest(t, test.url)
		req.Host = test.host
		resp, err := transport.RoundTrip(req)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
	}
	var names []string
	for _, state := range transport.State() {
		names = append(names, state.Partition)
	}
	require.Equal(t, []string{"https://a.example.com", "https://b.example.com"}, names)
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
