package debug_test

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/debug"
)

// ask returns h's response. The pairs are names and values of header fields.
func ask(t *testing.T, h http.Handler, method, target string, pairs ...string) *httptest.ResponseRecorder {
	t.Helper()
	req := httptest.NewRequestWithContext(t.Context(), method, target, nil)
	for i := 0; i < len(pairs); i += 2 {
		req.Header.Add(pairs[i], pairs[i+1])
	}
	answer := httptest.NewRecorder()
	h.ServeHTTP(answer, req)
	return answer
}

// only returns a Handler of one Transport without a name.
func only(t *headway.Transport) *debug.Handler {
	return &debug.Handler{Transports: map[string]*headway.Transport{"": t}}
}

func TestMethods(t *testing.T) {
	h := only(&headway.Transport{})
	for _, method := range []string{"POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "get"} {
		t.Run(method, func(t *testing.T) {
			answer := ask(t, h, method, "/debug/headway")
			require.Equal(t, http.StatusMethodNotAllowed, answer.Code)
			require.Equal(t, "GET, HEAD", answer.Header().Get("Allow"))
			require.NotContains(t, answer.Body.String(), "<")
		})
	}
	for _, format := range []string{"html", "json"} {
		t.Run("HEAD "+format, func(t *testing.T) {
			target := "/debug/headway?format=" + format
			head, get := ask(t, h, "HEAD", target), ask(t, h, "GET", target)
			require.Equal(t, http.StatusOK, head.Code)
			require.Equal(t, get.Header(), head.Header())
			require.Zero(t, head.Body.Len())
			require.NotZero(t, get.Body.Len())
		})
	}
}

func TestHeader(t *testing.T) {
	h := only(&headway.Transport{})
	for name, answer := range map[string]*httptest.ResponseRecorder{
		"page":        ask(t, h, "GET", "/"),
		"JSON":        ask(t, h, "GET", "/?format=json"),
		"wrong":       ask(t, h, "GET", "/?format=xml"),
		"not allowed": ask(t, h, "POST", "/"),
	} {
		t.Run(name, func(t *testing.T) {
			header := answer.Header()
			require.Equal(t, "Accept", header.Get("Vary"))
			require.Equal(t, "no-store", header.Get("Cache-Control"))
			require.Equal(t, "nosniff", header.Get("X-Content-Type-Options"))
			require.Equal(t, "no-referrer", header.Get("Referrer-Policy"))
			require.Equal(t, "same-origin", header.Get("Cross-Origin-Resource-Policy"))
			policy := header.Get("Content-Security-Policy")
			require.Contains(t, policy, "default-src 'none'; ")
			require.Contains(t, policy, "; frame-ancestors 'none'")
			require.NotContains(t, policy, "unsafe")
			require.NotContains(t, policy, "*")
			require.NotContains(t, policy, "http")
		})
	}
}

func TestFormats(t *testing.T) {
	const page, document = "text/html; charset=utf-8", "application/json"
	for name, c := range map[string]struct {
		query, accept, want string
	}{
		"nothing":                    {"", "", page},
		"anything":                   {"", "*/*", page},
		"a browser":                  {"", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", page},
		"JSON":                       {"", "application/json", document},
		"JSON in capitals":           {"", "Application/JSON", document},
		"JSON with a parameter":      {"", "application/json; charset=utf-8", document},
		"JSON or else anything":      {"", "application/json, text/plain, */*", document},
		"JSON rather than HTML":      {"", "text/html;q=0.5, application/json;q=0.6", document},
		"HTML rather than JSON":      {"", "application/json;q=0.8, text/html", page},
		"both":                       {"", "application/json, text/html", page},
		"no JSON":                    {"", "application/json;q=0", page},
		"a quality that is none":     {"", "application/json;q=high", page},
		"a quality above all":        {"", "application/json;q=9, text/html", page},
		"malformed":                  {"", ";;,,q=1,application/json;", document},
		"a name that is only longer": {"", "application/jsonlines", page},
		"asked for in the query":     {"?format=json", "text/html", document},
		"HTML in the query":          {"?format=html", "application/json", page},
	} {
		t.Run(name, func(t *testing.T) {
			answer := ask(t, only(&headway.Transport{}), "GET", "/"+c.query, "Accept", c.accept)
			require.Equal(t, http.StatusOK, answer.Code)
			require.Equal(t, c.want, answer.Header().Get("Content-Type"))
			require.Equal(t, c.want == page, strings.HasPrefix(answer.Body.String(), "<!DOCTYPE html>"))
		})
	}
	t.Run("in two fields", func(t *testing.T) {
		answer := ask(t, only(&headway.Transport{}), "GET", "/", "Accept", "text/plain", "Accept", "application/json")
		require.Equal(t, document, answer.Header().Get("Content-Type"))
	})
	t.Run("unknown", func(t *testing.T) {
		answer := ask(t, only(&headway.Transport{}), "GET", "/?format=%3Cxml%3E")
		require.Equal(t, http.StatusBadRequest, answer.Code)
		require.NotContains(t, answer.Body.String(), "xml")
	})
}

// The page's script and style run, as their hashes are in the header. The page has no other parts.
func TestPageIsSelfContained(t *testing.T) {
	answer := ask(t, only(sampled(t)), "GET", "/")
	text, policy := answer.Body.String(), answer.Header().Get("Content-Security-Policy")
	for _, element := range []string{"style", "script"} {
		content := between(t, text, "<"+element+">", "</"+element+">")
		sum := sha256.Sum256([]byte(content))
		require.Contains(t, policy, element+"-src 'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"';")
		require.Equal(t, 1, strings.Count(text, "<"+element), element)
		text = strings.Replace(text, content, "", 1)
	}
	require.NotContains(t, text, "style=")
	require.NotContains(t, text, "src=")
	require.NotRegexp(t, `\son[a-z]+=`, text)
	for _, link := range regexp.MustCompile(`href="([^"]*)"`).FindAllStringSubmatch(text, -1) {
		require.True(t, strings.HasPrefix(link[1], "data:") || strings.HasPrefix(link[1], "?"), link) // so it may be mounted anywhere
	}
}

func TestTransports(t *testing.T) {
	t.Run("none", func(t *testing.T) {
		for _, h := range []*debug.Handler{{}, {Transports: map[string]*headway.Transport{"gone": nil}}} {
			require.Contains(t, ask(t, h, "GET", "/").Body.String(), "The Handler has no Transports.")
			require.Empty(t, reportOf(t, h, "/?format=json").Transports)
		}
	})
	t.Run("unused", func(t *testing.T) {
		require.Contains(t, ask(t, only(&headway.Transport{}), "GET", "/").Body.String(), "Nothing is known:")
	})
	t.Run("several", func(t *testing.T) {
		h := &debug.Handler{Transports: map[string]*headway.Transport{
			"zebra": {}, "apes": sampled(t), "gnus": nil, "cats": {Shadow: true},
		}}
		report := reportOf(t, h, "/?format=json")
		require.Len(t, report.Transports, 3)
		for i, want := range []string{"apes", "cats", "zebra"} {
			require.Equal(t, want, report.Transports[i].Name)
			require.Equal(t, want == "cats", report.Transports[i].Shadow)
		}
		text := ask(t, h, "GET", "/").Body.String()
		require.Regexp(t, `(?s)<h2><bdi>apes</bdi></h2>.*<h2><bdi>cats</bdi></h2>.*shadow: .*<h2><bdi>zebra</bdi></h2>`, text)
		require.NotContains(t, text, "gnus")
	})
}
