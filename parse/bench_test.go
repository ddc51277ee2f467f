package parse_test

import (
	"maps"
	"net/http"
	"slices"
	"testing"

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
