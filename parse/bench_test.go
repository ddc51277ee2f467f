package parse_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/dunglas/httpsfv"

	"github.com/headway-go/headway/parse"
)

// response adds what a response holds besides.
func response(h http.Header) http.Header {
	h = h.Clone()
	h.Set("Date", "Tue, 14 Mar 2017 16:16:00 GMT")
	h.Set("Content-Type", "application/json; charset=utf-8")
	h.Set("Content-Length", "1234")
	return h
}

func BenchmarkHeader(b *testing.B) {
	all := dialects()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		b.Run("dialect="+name, func(b *testing.B) { benchmarkHeader(b, response(all[name])) })
	}
	b.Run("fields=0", func(b *testing.B) { benchmarkHeader(b, http.Header{}) })
	b.Run("fields=20", func(b *testing.B) { benchmarkHeader(b, unrelated()) })
}

// unrelated is the header of a response of a large site, without any limit.
func unrelated() http.Header {
	h := http.Header{}
	for _, name := range []string{
		"Accept-Ranges", "Age", "Alt-Svc", "Cache-Control", "Content-Encoding", "Content-Length", "Content-Type", "Date",
		"Etag", "Expires", "Last-Modified", "Referrer-Policy", "Report-To", "Server", "Strict-Transport-Security", "Vary",
		"Via", "X-Content-Type-Options", "X-Frame-Options", "X-Request-Id",
	} {
		h.Set(name, "some value or other")
	}
	return h
}

func benchmarkHeader(b *testing.B, h http.Header) {
	b.Helper()
	b.ReportAllocs()
	for b.Loop() {
		parse.Header(h)
	}
}

// BenchmarkHostile: what is over a budget costs next to nothing, and within it
// a byte costs as much as any other.
func BenchmarkHostile(b *testing.B) {
	for _, c := range []struct{ name, value string }{
		{"string", `"` + strings.Repeat("a", 10<<20)},
		{"string", `"` + strings.Repeat("a", 60<<10)},
		{"escapes", `"` + strings.Repeat(`\"`, 30<<10)},
		{"members", strings.Repeat("a;r=1,", 1000) + "a"},
		{"members", strings.Repeat("a;r=1,", 100_000) + "a"},
		{"wrong", strings.Repeat("a;r,", 1000) + "a"},
		{"parentheses", strings.Repeat("(", 60<<10)},
		{"innerlist", "(" + strings.Repeat("a ", 30<<10) + ")"},
		{"digits", strings.Repeat("9", 60<<10)},
		{"commas", strings.Repeat("1,", 30<<10)},
		{"durations", strings.Repeat("1h", 30<<10)},
	} {
		h := http.Header{}
		for _, name := range []string{"RateLimit", "RateLimit-Policy", "Retry-After", "X-RateLimit-Limit", "X-RateLimit-Reset"} {
			h.Set(name, c.value)
		}
		b.Run(fmt.Sprintf("input=%s/bytes=%d", c.name, len(c.value)), func(b *testing.B) {
			b.SetBytes(int64(len(h) * len(c.value)))
			benchmarkHeader(b, h)
		})
	}
}

// BenchmarkList compares the draft-10 pair with a general parser, which leaves
// the meaning of what it has read to its caller.
func BenchmarkList(b *testing.B) {
	limit, policy := []string{`"default";r=50;t=30`}, []string{`"default";q=100;w=60`}
	b.Run("parser=headway", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, err := parse.RateLimit(limit)
			_, err2 := parse.RateLimitPolicy(policy)
			if err != nil || err2 != nil {
				b.Fatal(err, err2)
			}
		}
	})
	b.Run("parser=httpsfv", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, err := httpsfv.UnmarshalList(limit)
			_, err2 := httpsfv.UnmarshalList(policy)
			if err != nil || err2 != nil {
				b.Fatal(err, err2)
			}
		}
	})
}
