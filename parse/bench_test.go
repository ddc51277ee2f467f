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

// dialects has headers of real servers, by dialect.
func dialects() map[string]http.Header {
	return map[string]http.Header{
		"draft10": {
			"Ratelimit":        {`"default";r=50;t=30`},
			"Ratelimit-Policy": {`"default";q=100;w=60`},
		},
		"draft07": {
			"Ratelimit":        {`limit=100, remaining=50, reset=5`},
			"Ratelimit-Policy": {`100;w=60`},
		},
		"trio": {
			"Ratelimit-Limit":     {`100, 100;w=60, 1000;w=3600`},
			"Ratelimit-Remaining": {`50`},
			"Ratelimit-Reset":     {`30`},
		},
		"github": {
			"X-Ratelimit-Limit":     {`5000`},
			"X-Ratelimit-Remaining": {`4987`},
			"X-Ratelimit-Reset":     {`1372700873`},
			"X-Ratelimit-Used":      {`13`},
			"X-Ratelimit-Resource":  {`core`},
		},
		"discord": {
			"X-Ratelimit-Limit":       {`1`},
			"X-Ratelimit-Remaining":   {`0`},
			"X-Ratelimit-Reset":       {`1470173023.123`},
			"X-Ratelimit-Reset-After": {`64.57`},
			"X-Ratelimit-Bucket":      {`abcd1234`},
			"X-Ratelimit-Scope":       {`user`},
			"X-Ratelimit-Global":      {`true`},
			"Retry-After":             {`65`},
		},
		"dashed": {
			"X-Rate-Limit-Limit":     {`600`},
			"X-Rate-Limit-Remaining": {`599`},
			"X-Rate-Limit-Reset":     {`2024-05-05T18:02Z`},
		},
		"retryafter": {
			"Retry-After": {`Tue, 14 Mar 2017 16:16:00 GMT`},
		},
	}
}

// response adds ordinary response fields to h.
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

// unrelated returns the header of a large site's response, without a rate-limit field.
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

// BenchmarkHostile shows that the time per byte does not grow with the size of the input within the
// budgets, and that input beyond a budget costs nearly nothing.
func BenchmarkHostile(b *testing.B) {
	for _, input := range hostileInputs() {
		for bytes := 1_000; bytes <= 10_000_000; bytes *= 10 {
			b.Run(fmt.Sprintf("input=%s/bytes=%d", input.name, bytes), func(b *testing.B) {
				h := input.header(bytes)
				b.SetBytes(int64(size(h)))
				benchmarkHeader(b, h)
			})
		}
	}
}

// A hostileInput makes headers of about the given size.
type hostileInput struct {
	name   string
	header func(bytes int) http.Header
}

func hostileInputs() []hostileInput {
	inputs := []hostileInput{
		{"lines", manyLines},
		{"other-fields", func(n int) http.Header { return manyFields(n, "X-Request-Id-%d") }},
		{"similar-fields", func(n int) http.Header { return manyFields(n, "X-Ratelimit-Li%d") }},
		{"dimensions", func(n int) http.Header { return manyFields(n, "X-Ratelimit-Limit-D%d") }},
		{"hyphens", func(n int) http.Header { return manyFields(n, "X-Ratelimit"+strings.Repeat("-", 40)+"%d") }},
		{"labels", func(n int) http.Header { return manyLabels(n, "12345678", "Limit") }},
		{"positions", func(n int) http.Header { return manyLabels(n, "1,2,3,4,5,6,7,8", "Limit", "Usage") }},
	}
	for _, c := range []struct{ name, before, repeated string }{
		{"string", `"`, "a"},
		{"escapes", `"`, `\"`},
		{"members", "a;r=1", ",a;r=1"},
		{"parameters", "a", ";r=1"},
		{"wrong", "a;r", ",a;r"},
		{"parentheses", "", "("},
		{"innerlist", "(", "a "},
		{"digits", "", "9"},
		{"commas", "1", ",1"},
		{"durations", "", "1h"},
		{"spaces", "1", " "},
	} {
		inputs = append(inputs, hostileInput{"value-" + c.name, func(n int) http.Header {
			h := http.Header{}
			names := []string{"RateLimit", "RateLimit-Policy", "Retry-After", "X-RateLimit-Limit", "X-RateLimit-Reset"}
			value := c.before + strings.Repeat(c.repeated, n/len(names)/len(c.repeated))
			for _, name := range names {
				h.Set(name, value)
			}
			return h
		}})
	}
	return inputs
}

// manyLines has many lines of three fields.
func manyLines(n int) http.Header {
	h := http.Header{}
	for name, line := range map[string]string{"Ratelimit": "a;r=1;t=1", "Retry-After": "100000000", "X-Ratelimit-Limit": "100;w=300"} {
		h[name] = times(n/3/len(line), line)
	}
	return h
}

// manyFields has many fields whose names follow a pattern, each with a value of a few bytes.
func manyFields(n int, pattern string) http.Header {
	h := http.Header{}
	for i := 0; n > 0; i++ {
		name := fmt.Sprintf(pattern, i)
		h[name] = []string{"12345678"}
		n -= len(name) + len("12345678")
	}
	return h
}

// manyLabels has limits with the longest possible labels, each with a field for each of parts.
func manyLabels(n int, value string, parts ...string) http.Header {
	words := [...]string{"Api", "App", "Key", "Per", "Org"}
	h := http.Header{}
	for i := 0; n > 0; i++ {
		var label strings.Builder
		for j, digits := 0, i; j < 11; j++ {
			label.WriteString("-" + words[digits%len(words)])
			digits /= len(words)
		}
		for _, part := range parts {
			name := "X-Ratelimit-" + part + label.String()
			h[name] = []string{value}
			n -= len(name) + len(value)
		}
	}
	return h
}

func size(h http.Header) (n int) {
	for name, lines := range h {
		for _, line := range lines {
			n += len(name) + len(line)
		}
	}
	return n
}

// BenchmarkList compares the draft-10 pair with a general parser. The general parser leaves the
// interpretation of the values to its caller.
func BenchmarkList(b *testing.B) {
	limit, policy := []string{`"default";r=50;t=30`}, []string{`"default";q=100;w=60`}
	b.Run("parser=headway", func(b *testing.B) {
		benchmarkHeader(b, http.Header{"Ratelimit": limit, "Ratelimit-Policy": policy})
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
