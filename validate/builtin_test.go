package validate

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Built-in profiles are found in all spellings of their hosts.
func TestBuiltInProfiles(t *testing.T) {
	all, err := ReadProfiles(profilesJSON)
	require.NoError(t, err)
	for _, p := range all {
		for _, host := range []string{p.Host, "www." + p.Host, strings.ToUpper(p.Host), p.Host + ":8443", p.Host + "."} {
			resp := &http.Response{Request: &http.Request{URL: &url.URL{Scheme: "https", Host: host, Path: p.Path}}}
			require.Equal(t, *p.compiled(), *findProfile(resp, nil), host)
		}
	}
	for _, host := range []string{
		"", "localhost:8080", "[::1]:80", "127.0.0.1:8080", "com", "hub.com", ".", "a.b", "notgithub.com", "github.com.evil.example",
		"api.github.com.evil.example", "[fe80::1%25eth0.github.com]",
	} {
		require.Same(t, &none, findProfile(&http.Response{Request: &http.Request{URL: &url.URL{Host: host}}}, nil), host)
	}
}

// A Field that is malformed holds nothing, so that its Pattern is not compiled for each response.
func TestMalformedFields(t *testing.T) {
	p := Profile{Fields: []Field{{Name: "A", Pattern: "(?<limit"}, {Name: "B", Pattern: "(?<all>5)"}, {Name: "C", Holds: "all"}}}
	require.Equal(t, []Field{{Name: "A", Holds: HoldsNothing}, {Name: "B", Holds: HoldsNothing}, {Name: "C", Holds: HoldsNothing}}, p.compiled().Fields)
	require.Equal(t, "(?<limit", p.Fields[0].Pattern, "the caller's is not changed")
}
