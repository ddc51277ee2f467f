package ratelimittest

import (
	"net/http"
	"slices"
	"time"
)

// Without is d without the fields of these names: a server that keeps something
// to itself. Reddit tells no limit, Docker Hub no reset, Heroku nothing but what
// remains.
func Without(d Dialect, fields ...string) Dialect {
	return func(h http.Header, now time.Time, decision Decision) {
		before := h.Clone()
		d(h, now, decision)
		for _, field := range fields {
			key := http.CanonicalHeaderKey(field)
			if lines, ok := before[key]; ok {
				h[key] = lines
			} else {
				delete(h, key)
			}
		}
	}
}

// Rewritten is d with another value in the lines that it writes of one field.
// change gets each of them and is called concurrently; a value of "" is sent as
// an empty field. Real servers have sent these:
//
//	limit         20.00, 1m, 600,30000
//	remaining     57.0, -1, unlimited
//	reset         1470173023.123, 2m59.56s, 2024-05-05T18:02Z
//	Retry-After   0.25, 9223372036854775807, and nothing at all
func Rewritten(d Dialect, field string, change func(value string) string) Dialect {
	return func(h http.Header, now time.Time, decision Decision) {
		before := h.Clone()
		d(h, now, decision)
		rewrite(h, before, http.CanonicalHeaderKey(field), change)
	}
}

// Malformed is d with a semicolon at the end of each line that it writes of these
// fields, or of all its fields if none are named. It makes the whole field
// unreadable, for one that a strict client must ignore
// (draft-ietf-httpapi-ratelimit-headers-10 §7). Hugging Face sends a
// RateLimit-Policy with a syntax error.
func Malformed(d Dialect, fields ...string) Dialect {
	spoil := func(value string) string { return value + ";" }
	return func(h http.Header, now time.Time, decision Decision) {
		before := h.Clone()
		d(h, now, decision)
		if len(fields) == 0 {
			for key := range h {
				rewrite(h, before, key, spoil)
			}
		}
		for _, field := range fields {
			rewrite(h, before, http.CanonicalHeaderKey(field), spoil)
		}
	}
}

// rewrite changes the lines of a field that were not there before: all, unless a
// dialect has added to a list.
func rewrite(h, before http.Header, key string, change func(string) string) {
	lines, old := h[key], before[key]
	first := len(old)
	if first > len(lines) || !slices.Equal(lines[:first], old) {
		first = 0
	}
	for i := first; i < len(lines); i++ {
		lines[i] = change(lines[i])
	}
}
