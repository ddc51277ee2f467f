package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

const auditURL = "http://user:s3cret@api.example.com/things?key=s3cret"

// audited runs the command in virtual time on a handler.
func audited(t *testing.T, h http.Handler, flags ...string) (out, errs string, code int) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var o, e bytes.Buffer
		c, options := &console{out: &o, err: &e, now: time.Now}, &auditOptions{}
		_, goesOn := c.parse(&options.options, options.flags(), append(flags, "-H", "X-Api-Key: s3cret", auditURL), aboutAudit, options.check)
		require.True(t, goesOn)
		code = c.auditBy(options, &ratelimittest.Transport{Handler: h, Latency: 20 * time.Millisecond})
		out, errs = o.String(), e.String()
	})
	require.NotContains(t, out+errs, "s3cret")
	return out, errs, code
}

func auditedWindow() ratelimittest.Limiter {
	return &ratelimittest.FixedWindow{Policy: ratelimittest.Per(6, 30*time.Second)}
}

// For each server the expected output is in testdata/audit/NAME.txt and NAME.json.
func TestAuditGolden(t *testing.T) {
	for _, row := range []struct {
		name string
		h    func() *ratelimittest.Handler
		exit int
	}{
		{"true", func() *ratelimittest.Handler { return &ratelimittest.Handler{Limiter: auditedWindow()} }, exitLimits},
		{"misleading", func() *ratelimittest.Handler {
			return &ratelimittest.Handler{
				Limiter: auditedWindow(), RetryAfter: ratelimittest.Fields("Retry-After: 3"),
				Dialect: ratelimittest.Fields("X-RateLimit-Limit: {limit}", "X-RateLimit-Remaining: {limit}", "X-RateLimit-Reset: {unix}"),
			}
		}, exitIgnored},
		{"silent", func() *ratelimittest.Handler {
			return &ratelimittest.Handler{Limiter: auditedWindow(), Dialect: ratelimittest.Silent, RetryAfter: ratelimittest.Silent}
		}, exitNothing},
	} {
		for _, form := range []string{"txt", "json"} {
			t.Run(row.name+"."+form, func(t *testing.T) {
				flags := map[string][]string{"json": {"-json"}}[form]
				out, errs, code := audited(t, row.h(), append(flags, "-beyond")...)
				require.Empty(t, errs)
				require.Equal(t, row.exit, code)
				requireTame(t, out)
				require.Equal(t, form == "json", json.Valid([]byte(out)))
				requireGolden(t, filepath.Join("testdata", "audit", row.name+"."+form), out)
			})
		}
	}
}

// -v shows what each response told.
func TestAuditVerbose(t *testing.T) {
	out, _, _ := audited(t, &ratelimittest.Handler{Limiter: auditedWindow()}, "-beyond", "-v")
	require.Contains(t, out, "request   3, missing, after 1s: 200; \"default\": 3 of 6 requests left, window 30s, resets in 29s\n")
	require.Contains(t, out, "request   7, plain, after 3s: 429; Retry-After 27s; \"default\": 0 of 6 requests left, ")
	requireTame(t, out)
}

// docs/audit.md shows what the command prints.
func TestAuditPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/audit.md")
	require.NoError(t, err)
	printed, err := os.ReadFile("testdata/audit/misleading.txt")
	require.NoError(t, err)
	isShown := strings.Contains(string(page), "$ headway audit -beyond http://api.example.com/things\n"+string(printed)+"```\n")
	require.True(t, isShown, "%s", printed)
}

func TestAuditFlags(t *testing.T) {
	for _, row := range []struct {
		name string
		args []string
		err  string // a part of it
	}{
		{"no URL", nil, "a URL is needed"},
		{"a recording", []string{"-"}, "a URL is needed"},
		{"no requests", []string{"-n", "0", auditURL}, "from 1 to 1000"},
		{"too many", []string{"-n", "1001", auditURL}, "from 1 to 1000"},
		{"no rate", []string{"-rate", "0", auditURL}, "more than 0, and at most 100"},
		{"no number", []string{"-rate", "NaN", auditURL}, "more than 0, and at most 100"},
		{"too fast", []string{"-rate", "101", auditURL}, "at most 100"},
		{"no cost", []string{"-cost", "0", auditURL}, "at least 1"},
		{"a field", []string{"-H", "s3cret", auditURL}, "-H needs a field"},
		{"unknown flag", []string{"-host", "a", auditURL}, "-host"},
	} {
		t.Run(row.name, func(t *testing.T) {
			out, errs, code := session{args: append([]string{"audit"}, row.args...)}.run()
			require.Empty(t, out)
			require.Equal(t, exitUsage, code)
			require.Contains(t, errs, row.err)
			require.NotContains(t, errs, "s3cret")
		})
	}
	out, _, code := session{args: []string{"audit", "-help"}}.run()
	require.Zero(t, code)
	require.Contains(t, out, "Exit codes:")
}

// auditServer audits a server on a loopback address.
func auditServer(t *testing.T, h http.HandlerFunc, flags ...string) (out, errs string, code int) {
	t.Helper()
	server := httptest.NewServer(h)
	defer server.Close()
	out, errs, code = session{args: slices.Concat([]string{"audit", "-rate", "100", "-n", "3"}, flags, []string{server.URL})}.run()
	require.NotContains(t, out+errs, "s3cret")
	requireTame(t, out+errs)
	return out, errs, code
}

// Over HTTP/2 net/http sends a request again, without end, if the server refuses the stream: an audit uses HTTP/1.1.
func TestAuditSendsNothingAgain(t *testing.T) {
	var seen []string
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { seen = append(seen, r.Proto) }))
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	base := newBase()
	base.TLSClientConfig = server.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
	base.TLSClientConfig.NextProtos = nil
	var out bytes.Buffer
	c, options := &console{out: &out, err: &out, now: time.Now}, &auditOptions{}
	_, goesOn := c.parse(&options.options, options.flags(), []string{"-n", "2", "-rate", "100", server.URL}, aboutAudit, options.check)
	require.True(t, goesOn)
	require.Equal(t, exitNothing, c.auditBy(options, base), out.String())
	require.Equal(t, []string{"HTTP/1.1", "HTTP/1.1"}, seen)
}

// What the user sends goes to the URL alone.
func TestAuditFollowsNoRedirect(t *testing.T) {
	foreign := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("another host was asked") }))
	defer foreign.Close()
	asked, got := 0, http.Header{}
	_, errs, code := auditServer(t, func(w http.ResponseWriter, r *http.Request) {
		asked++
		got = r.Header
		http.Redirect(w, r, foreign.URL+"/?s3cret", http.StatusFound)
	}, "-H", "X-Api-Key: s3cret")
	require.Equal(t, exitFailed, code)
	require.Equal(t, "headway audit: request 1: the URL answers with a redirect (302): audit its target\n", errs)
	require.Equal(t, 1, asked)
	require.Equal(t, "s3cret", got.Get("X-Api-Key"))
	require.Equal(t, "headway", got.Get("User-Agent"))
}

// Whatever a server does, an audit ends, and says why.
func TestAuditOfHostileServers(t *testing.T) {
	limit := func(w http.ResponseWriter) { w.Header().Set("RateLimit", `"a";r=9;t=9`) }
	for _, row := range []struct {
		name   string
		h      http.HandlerFunc
		exit   int
		report string // a part of the output

		timeout string
	}{
		{"an endless body", func(w http.ResponseWriter, r *http.Request) {
			limit(w)
			w.WriteHeader(http.StatusInternalServerError)
			for r.Context().Err() == nil {
				_, _ = io.WriteString(w, strings.Repeat("s3cret", 1000))
			}
		}, exitLimits, "fields    not seen: no request was served", ""},
		{"a huge head", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("A", strings.Repeat("s3cret", mostHead))
		}, exitFailed, "server response headers exceeded 65536 bytes", ""},
		{"no response", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, exitFailed, "headway audit: request 1: no response within 10ms\n", "10ms"},
		{"a failure later", failing(t, limit), exitFailed, "note      the audit ended early: request 2: EOF", ""},
		{"names that control terminals", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-RateLimit-Name", "\u009b31m\u202e")
			w.Header().Set("X-RateLimit-Remaining", "9")
			w.Header().Set("RateLimit", `"b";r=9;t=`+strings.Repeat("9", 15))
		}, exitIgnored, "audit", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			out, errs, code := auditServer(t, row.h, "-timeout", cmp.Or(row.timeout, "1m"), "-max-wait", "1ms")
			require.Equal(t, row.exit, code, out+errs)
			require.Contains(t, out+errs, row.report)
		})
	}
}

// failing serves the first request, breaks the connection of the second one, and wants no more.
func failing(t *testing.T, serve func(http.ResponseWriter)) http.HandlerFunc {
	t.Helper()
	n := 0
	return func(w http.ResponseWriter, _ *http.Request) {
		switch n++; n {
		case 1:
			serve(w)
		case 2:
			panic(http.ErrAbortHandler)
		default:
			t.Error("a request was sent again")
		}
	}
}
