package identity

import (
	"cmp"
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"
)

// The request's Host takes precedence over the URL's host.
func TestOrigins(t *testing.T) {
	for _, test := range []struct{ name, url, host, want string }{
		{"scheme", "http://api.example.com/", "", "http://api.example.com"},
		{"upper case", "HTTPS://API.Example.COM/", "", "https://api.example.com"},
		{"default port of https", "https://api.example.com:443/", "", "https://api.example.com"},
		{"default port of the other scheme", "https://api.example.com:80/", "", "https://api.example.com:80"},
		{"port that ends alike", "http://api.example.com:8080/", "", "http://api.example.com:8080"},
		{"IPv6 that ends alike", "http://[::80]/", "", "http://[::80]"},
		{"another host", "https://10.0.0.1/", "API.Example.com", "https://api.example.com"},
		{"another host with a port", "https://10.0.0.1:8443/", "api.example.com:443", "https://api.example.com"},
		{"another host, scheme in upper case", "HTTP://10.0.0.1/", "api.example.com:80", "http://api.example.com"},
	} {
		t.Run(test.name, func(t *testing.T) {
			req := request(t, test.url)
			req.Host = cmp.Or(test.host, req.Host)
			require.Equal(t, test.want, nameOf(req))
		})
	}
}

func TestOddRequestsHaveNoKey(t *testing.T) {
	require.Equal(t, "https://api.example.com", nameOf(&http.Request{URL: &url.URL{Scheme: "https", Host: "api.example.com:"}}))
	for _, u := range []url.URL{
		{Path: "/only"},
		{Scheme: "https", Path: "/only"},
		{Host: "api.example.com"},
	} {
		for _, host := range []string{"", "api.example.com"} { // no Base knows where to send it
			req := &http.Request{URL: &u, Host: host, Header: http.Header{"X-Api-Key": {"key"}}}
			require.Zero(t, Default(req))
			require.Empty(t, nameOf(req))
		}
	}
}

// A key as spelled names the partition of the default key once it is normalised.
func TestSpelled(t *testing.T) {
	for _, u := range []string{"https://api.example.com", "https://API.example.com:443", "https://api.example.com:"} {
		k := Spelled(request(t, u))
		require.Equal(t, "https://api.example.com", k.Normalized().String())
		require.Equal(t, k.Normalized(), k.Normalized().Normalized())
	}
	chosen := Key{Host: "Users:443"}
	require.Equal(t, chosen, chosen.Normalized(), "names have no spellings")
}

func TestNameShowsNoSecret(t *testing.T) {
	for _, req := range []*http.Request{
		request(t, testURL, "Authorization", "Bearer hunter2"),
		request(t, "https://me:hunter2@api.example.com/"),
		request(t, testURL, "X-Api-Key", "hunter2"),
	} {
		require.Regexp(t, `^https://api\.example\.com#[0-9a-f]{16}$`, nameOf(req))
	}
}
