package debug_test

import (
	"net/http"
	"net/http/httptest"
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
	for _, method := range []string{"POST", "OPTIONS", "get"} {
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
		"nothing":                {"", "", page},
		"a browser":              {"", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", page},
		"JSON":                   {"", "application/json", document},
		"JSON rather than HTML":  {"", "text/html;q=0.5, application/json;q=0.6", document},
		"HTML rather than JSON":  {"", "application/json;q=0.8, text/html", page},
		"malformed":              {"", ";;,,q=1,application/json;", document},
		"asked for in the query": {"?format=json", "text/html", document},
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
