package parse

import (
	"strings"
	"time"
)

// A measure is what a label says about its limit: the quota unit and the window.
type measure struct {
	unit   Unit
	window time.Duration // Unknown if the label has none
}

// The lengths of windows by name. A month and a year have their greatest length, so that a client waits
// long enough.
const (
	week  = 7 * day
	month = 31 * day
	year  = 366 * day
)

// measureOf reads a label word by word, such as tokens, req-minute or endpoint-requests. ok is false if a
// word is not known: X-RateLimit-Reset-Epoch, for example, is not a limit called epoch. m then has the
// measure of the known words.
func measureOf(label string) (m measure, ok bool) {
	if m, ok := documented(label); ok {
		return m, true
	}
	m = measure{unit: Requests, window: Unknown}
	kind, unit, unknown := "", "", false
	for word := range strings.FieldsFuncSeq(label, func(r rune) bool { return r == '-' || r == '_' || r == ' ' }) {
		ok = true
		switch {
		case windowOf(word) != 0:
			unknown = unknown || m.window != Unknown
			m.window = windowOf(word)
		case isUnit(word):
			unit = word
		case isKind(word):
			kind = word + "-"
		case !isScope(word):
			unknown = true
		}
	}
	if unit != "" {
		m.unit = Unit(kind + unit)
	}
	return m, ok && !unknown
}

// documented returns the measure of labels whose meaning only the vendor's documentation gives. The
// bucket of Shopify refills by a twentieth per second on every plan, so that it is full after 20 s.
// Salesforce counts requests per 24 hours, Discogs per minute. The size that Mistral limits is a number
// of tokens.
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

// windowOf returns the length of a window by its name; 0 if the word is not a window.
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
	s := scanner{s: word} // a duration such as 1h
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

// isKind reports whether a word qualifies a quota unit, as in input-tokens.
func isKind(word string) bool { return word == "input" || word == "output" }

// isScope reports whether a word says whom or what a limit is for, which does not change the unit.
func isScope(word string) bool {
	switch word {
	case "requests", "request", "req", "reqs", "calls", "call", "reads", "writes", "deletes", // names for the unit requests
		"per", "default", "limit", "plan", "plans", "free", "hard", "rapid", "global", "usage", "based",
		"trial", "endpoint", "project", "user", "client", "app", "account", "org", "organization", "team", "workspace", "tenant", "subscription", "resource",
		"api", "key", "token", "ip", "read", "write", "delete":
		return true
	}
	return false
}
