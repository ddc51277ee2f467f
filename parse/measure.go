package parse

import (
	"strings"
	"time"
)

// A measure is what the label in the names of a limit's fields tells of it.
type measure struct {
	unit   Unit
	window time.Duration // Unknown if the label names none
}

// Months and years are as long as the longest.
const (
	week  = 7 * day
	month = 31 * day
	year  = 366 * day
)

// measureOf reads a label word by word: tokens, req-minute, endpoint-requests. It is
// false if a word is not known, so that nothing is taken for a limit because its name
// looks like one. (X-RateLimit-Reset-Epoch would be one more limit otherwise.) m is what
// the words that are known tell.
func measureOf(label string) (m measure, ok bool) {
	if m, ok := documented(label); ok {
		return m, true
	}
	m = measure{unit: Requests, window: Unknown}
	kind, of, unknown := "", "", false
	for word := range strings.FieldsFuncSeq(label, func(r rune) bool { return r == '-' || r == '_' || r == ' ' }) {
		ok = true
		switch {
		case windowOf(word) != 0:
			unknown = unknown || m.window != Unknown
			m.window = windowOf(word)
		case isUnit(word):
			of = word
		case isKind(word):
			kind = word + "-"
		case !isScope(word):
			unknown = true
		}
	}
	if of != "" {
		m.unit = Unit(kind + of)
	}
	return m, ok && !unknown
}

// documented is the measure of labels that vendors alone have, by what they document:
// Shopify's bucket gives a twentieth back per second on every plan, Salesforce counts
// 24 hours, Discogs a minute, Mistral tokens.
func documented(label string) (m measure, ok bool) {
	switch label {
	case "shop-api-call":
		return measure{Requests, 20 * time.Second}, true
	case "api-usage", "per-app-api-usage":
		return measure{Requests, day}, true
	case "discogs":
		return measure{Requests, time.Minute}, true
	case "bysize":
		return measure{"tokens", Unknown}, true
	case "concurrency":
		return measure{ConcurrentRequests, Unknown}, true
	}
	return m, false
}

// windowOf is the length of a window by its name, 0 if it is none.
func windowOf(word string) time.Duration {
	switch word {
	case "second", "secondly":
		return time.Second
	case "minute", "minutely":
		return time.Minute
	case "hour", "hourly":
		return time.Hour
	case "day", "daily":
		return day
	case "week", "weekly":
		return week
	case "month", "monthly":
		return month
	case "year", "yearly":
		return year
	}
	s := scanner{s: word} // 1h
	if d, err := s.duration(); err == nil && isDigit(word[0]) {
		return d
	}
	return 0
}

// isUnit reports whether a word is a quota unit other than requests.
func isUnit(word string) bool {
	switch word {
	case "tokens", "complexity", "points", "credits", "bytes", "characters":
		return true
	}
	return false
}

// isKind reports whether a word tells one quota unit from another of that name.
func isKind(word string) bool { return word == "input" || word == "output" }

// isScope reports whether a word says for whom or for what a limit is: the unit is the
// same then.
func isScope(word string) bool {
	switch word {
	case "requests", "request", "req", "reqs", "calls", "call", "reads", "writes", "deletes", // units that are requests
		"per", "default", "limit", "plan", "plans", "free", "hard", "rapid", "global", "usage", "based",
		"trial", "endpoint", "project", "user", "client", "app", "account", "org", "organization", "team", "workspace", "tenant", "subscription", "resource",
		"api", "key", "token", "ip", "read", "write", "delete":
		return true
	}
	return false
}
