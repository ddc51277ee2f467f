package identity

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOrigins(t *testing.T) {
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
			require.Equal(t, test.want, nameOf(request(t, test.url)))
		})
	}
}

// The request's Host takes precedence over the URL's host.
func TestVirtualHosts(t *testing.T) {
	for _, test := range []struct{ name, url, host, want string }{
		{"none", "https://10.0.0.1:8443/", "", "https://10.0.0.1:8443"},
		{"the URL's", "https://api.example.com/", "api.example.com", "https://api.example.com"},
		{"another", "https://10.0.0.1/", "api.example.com", "https://api.example.com"},
		{"upper case", "https://10.0.0.1/", "API.Example.com", "https://api.example.com"},
		{"default port", "https://10.0.0.1:8443/", "api.example.com:443", "https://api.example.com"},
		{"default port of the other scheme", "http://10.0.0.1/", "api.example.com:443", "http://api.example.com:443"},
		{"other port", "https://10.0.0.1/", "api.example.com:8443", "https://api.example.com:8443"},
		{"empty port", "https://10.0.0.1:8443/", "api.example.com:", "https://api.example.com"},
		{"scheme in upper case", "HTTP://10.0.0.1/", "api.example.com:80", "http://api.example.com"},
	} {
		t.Run(test.name, func(t *testing.T) {
			req := request(t, test.url)
			req.Host = test.host
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
			require.Zero(t, keyOf(req))
			require.Empty(t, nameOf(req))
		}
	}
}

// A key as spelled has the name of the default key once it is normalised, and is empty if that is empty.
func TestNormalize(t *testing.T) {
	for _, test := range []struct {
		scheme, host, want string
		isChanged          bool
	}{
		{"https", "api.example.com", "https://api.example.com", false},
		{"https", "api.example.com:8443", "https://api.example.com:8443", false},
		{"https", "api.example.com:443", "https://api.example.com", true},
		{"HTTPS", "api.example.com", "https://api.example.com", true},
		{"http", "API.example.com:", "http://api.example.com", true},
		{"http", ":80", "", false},
		{"https", ":", "", false},
		{"https", ":8443", "https://:8443", false},
	} {
		var k Key
		k.SetSpelled(&http.Request{URL: &url.URL{Scheme: test.scheme, Host: test.host}})
		require.Equal(t, test.isChanged, k.Normalize(), test)
		require.Equal(t, test.want, k.String(), test)
		require.False(t, k.Normalize(), test)
	}
}

func TestChosenNamesHaveNoSpellings(t *testing.T) {
	k := Key{Host: "Users:443"}
	require.False(t, k.Normalize())
	require.Equal(t, "Users:443", k.String())
}

func TestNameShowsNoSecret(t *testing.T) {
	for _, req := range []*http.Request{
		request(t, testURL, "Authorization", "Bearer hunter2"),
		request(t, "https://me:hunter2@api.example.com/"),
		request(t, testURL, "X-Api-Key", "hunter2"),
	} {
		name := nameOf(req)
		require.Regexp(t, `^https://api\.example\.com#[0-9a-f]{16}$`, name)
		require.Equal(t, name, nameOf(req))
	}
}

func TestKeysAreFoundAgain(t *testing.T) {
	hashes := map[uint64]Key{}
	for _, k := range []Key{
		{},
		{Host: "https"},
		{Scheme: "https"},
		{Scheme: "http", Host: "https"},
		{Scheme: "https", Host: "http"},
		{Scheme: "https", Host: "http", Credential: 1},
		{Host: "https", Credential: 1},
	} {
		again := k.Clone()
		require.Equal(t, k, again)
		require.Equal(t, k.Hash(), again.Hash())
		require.NotContains(t, hashes, k.Hash(), "%+v and %+v", k, hashes[k.Hash()])
		hashes[k.Hash()] = k
	}
}

func TestHash(t *testing.T) {
	require.Equal(t, Hash("one"), Hash(strings.ToLower("ONE")))
	require.NotEqual(t, Hash("one"), Hash("two"))
}
