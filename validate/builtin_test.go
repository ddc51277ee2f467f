package validate

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The filter by letters keeps all hosts with a built-in profile, in all spellings.
func TestFilterKeepsBuiltInProfiles(t *testing.T) {
	for _, p := range slices.Concat(slices.Collect(maps.Values(builtIn.domains))...) {
		for _, host := range []string{p.Host, "www." + p.Host, strings.ToUpper(p.Host), p.Host + ":8443", p.Host + "."} {
			resp := &http.Response{Request: &http.Request{URL: &url.URL{Scheme: "https", Host: host, Path: p.Path}}}
			found := findProfile(resp, nil)
			require.NotSame(t, &builtIn.none, found, host)
			require.True(t, len(found.Fields) == 0 || mayHaveFields(resp, false), host)
		}
	}
}

// Domains and their tops may be of one letter, and hosts of one label.
func TestFilterOfShortNames(t *testing.T) {
	short := newTable(Profile{Host: "x.example"}, Profile{Host: "a.b", Fields: []Field{{Name: "Left"}}})
	for host, want := range map[string]content{
		"x.example":     someFields, // not known
		"www.x.example": noFields, "www.X.EXAMPLE:80": noFields,
		"www.a.b": someFields, "b.www.a.b": someFields,
		"localhost": nothing, "localhost:8080": nothing, "": nothing, "[::1]:80": nothing,
		"127.0.0.1:8080": nothing, "www.y.example": nothing,
	} {
		require.Equal(t, want, short.has(host), host)
	}
}
