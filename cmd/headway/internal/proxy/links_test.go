package proxy

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func newTarget(t *testing.T, text string) *upstream {
	t.Helper()
	target, err := url.Parse(text)
	require.NoError(t, err)
	return &upstream{Upstream: Upstream{target: target}}
}

func TestLinksLeadToTheProxy(t *testing.T) {
	const base = "http://localhost:8429/github"
	for _, row := range []struct{ name, to, text, want string }{
		{"absolute", "https://api.github.com", "https://api.github.com/user?page=2", base + "/user?page=2"},
		{"origin alone", "https://api.github.com", "https://api.github.com", base},
		{"path", "https://api.github.com", "/user", base + "/user"},
		{"relative path", "https://api.github.com", "user", "user"},
		{"escapes stay", "https://api.github.com", "https://api.github.com/a%2Fb%20c", base + "/a%2Fb%20c"},
		{"default port", "https://api.github.com", "https://API.github.com:443/a", base + "/a"},
		{"another port", "https://api.github.com", "https://api.github.com:8443/a", "https://api.github.com:8443/a"},
		{"host that begins so", "https://api.github.com", "https://api.github.com.evil.com/a", "https://api.github.com.evil.com/a"},
		{"user", "https://api.github.com", "https://u:p@api.github.com/a", "https://u:p@api.github.com/a"},
		{"another host without scheme", "https://api.github.com", "//b.com/a", "https://b.com/a"},
		{"below the target's path", "https://a.com/v1/", "https://a.com/v1/x", base + "/x"},
		{"beside the target's path", "https://a.com/v1", "https://a.com/v10/x", "https://a.com/v10/x"},
		{"another path", "https://a.com/v1", "/login?a", "https://a.com/login?a"},
	} {
		t.Run(row.name, func(t *testing.T) {
			require.Equal(t, row.want, newTarget(t, row.to).proxyURL(row.text, base))
		})
	}
}

func TestFieldsWithLinks(t *testing.T) {
	h := http.Header{
		"Location":         {"https://a.com/1"},
		"Content-Location": {"/2"},
		"Link": {
			`<https://a.com/i?page=2>; rel="next", <https://a.com/i?page=9>; rel="last"`,
			`<https://b.com/x>; title="a <b", <broken`,
			`<https://a.com/1>; title="a\"<b", <https://a.com/2>`,
		},
		"X-Other": {"https://a.com/3"},
		"Alt-Svc": {`h3=":443"`},
	}
	newTarget(t, "https://a.com").rewriteLinks(h, "http://p")
	require.Equal(t, http.Header{
		"Location":         {"http://p/1"},
		"Content-Location": {"http://p/2"},
		"Link": {
			`<http://p/i?page=2>; rel="next", <http://p/i?page=9>; rel="last"`,
			`<https://b.com/x>; title="a <b", <broken`,
			`<http://p/1>; title="a\"<b", <http://p/2>`,
		},
		"X-Other": {"https://a.com/3"},
	}, h)
}

// A path that leads above that of the upstream is not sent, in whatever disguise. Where the upstream has no path, all of it stays
// as the client has sent it.
func TestPathsStayBelow(t *testing.T) {
	s, _ := inMemory(t, served(echo), Upstream{To: "https://a.com/v1", Path: "/a"}, Upstream{To: "https://b.com", Path: "/b"})
	for _, row := range []struct{ path, want string }{
		{"/a/x/../y", "https://a.com/v1/x/../y"},
		{"/a/x/%2e%2e/./y/", "https://a.com/v1/x/%2e%2e/./y/"},
		{"/a/..x/...", "https://a.com/v1/..x/..."},
		{"/a/..", ""},
		{"/a/../../admin", ""},
		{"/a/x/../../v1/y", ""},
		{"/a/%2e%2E/admin", ""},
		{"/a/..%2fadmin", ""},
		{"/a/x//../../admin", ""},
		{"/a/..%5cadmin", ""},
		{"/a/..;x=y/admin", ""},
		{"/a/;x=y/../admin", ""},
		{"/b/../../admin", "https://b.com/../../admin"},
	} {
		resp := get(t.Context(), s, row.path)
		if row.want == "" {
			require.Equal(t, http.StatusBadRequest, resp.StatusCode, row.path)
			continue
		}
		require.Equal(t, row.want, textOf(t, resp))
	}
}

// Whatever a server sends, a link stays as it is, leads to the proxy, or is made whole.
func FuzzLinks(f *testing.F) {
	f.Add(`<https://a.com/i?page=2>; rel="next"`)
	f.Add("https://a.com:443/%2e%2e/x#y?z")
	f.Add(`//b.com/"`)
	f.Fuzz(func(t *testing.T, text string) {
		u := newTarget(t, "https://a.com/v1")
		got := u.proxyURL(text, "http://p")
		leads := got == "http://p" || strings.HasPrefix(got, "http://p/") || strings.HasPrefix(got, "http://p?") || strings.HasPrefix(got, "http://p#")
		if got != text && !leads {
			ref, err := url.Parse(text)
			require.NoError(t, err)
			require.Equal(t, u.target.ResolveReference(ref).String(), got)
		}
		if !strings.ContainsAny(text, "<>") {
			require.Equal(t, text, u.rewriteLinkField(text, "http://p"))
			const rest = `; title="a <b>"`
			require.Equal(t, "<"+got+">"+rest, u.rewriteLinkField("<"+text+">"+rest, "http://p"))
		}
	})
}
