package ratelimittest

import (
	"net/http"
	"slices"
	"time"
)

// Without returns a Dialect that writes the fields of d except those with the given names. Some servers leave
// values out: Reddit reports no limit, Docker Hub no reset, and Heroku only the remaining quota.
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

// Rewritten returns a Dialect that changes one field of d. change gets the value of each line that d writes
// of the field, and returns the new value. A value of "" is sent as an empty field. change is called
// concurrently. Values that real servers have sent:
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

// Malformed returns a Dialect that adds a semicolon to each line that d writes of the given fields, or of all
// fields if none is named. The semicolon is a syntax error, so a strict client must ignore the whole field
// (draft-ietf-httpapi-ratelimit-headers-10 §7). Hugging Face sends a RateLimit-Policy with a syntax error.
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

// rewrite changes the lines of a field that are not in before: all of them, unless a dialect added to a list.
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
