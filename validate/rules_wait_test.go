package validate_test

import (
	"strings"
	"testing"
	"time"

	"github.com/headway-go/headway/validate"
)

// TestRule08RetryAfter: Retry-After is digits, which may have a fraction that is
// never cut to nothing, or a date (rule 4). Nothing else that a lenient parser takes
// for a number is one, so characters are looked at before anything is converted.
// Seconds that are an epoch close to now are one: companion parsers that take them
// so exist. 2.0 is Shopify's, 0.25 of servers that round nothing, dates are
// crates.io's and, with the zone UTC, go-limiter's, the timestamp is Zoom's.
func TestRule08RetryAfter(t *testing.T) {
	var rows []row
	for _, c := range []struct {
		value string
		want  time.Duration
	}{
		{"30", 30 * s},
		{"2.0", 2 * s},
		{"0.25", s / 4},
		{"0.000000000001", 1},
		{"0.000", 0},
		{"0", 0},
		{" \t5\t ", 5 * s},
		{"007", 7 * s},
		{"Wed, 04 Mar 2026 12:00:30 GMT", 30 * s},
		{"Wed, 04 Mar 2026 12:00:30 UTC", 30 * s},
		{"Wednesday, 04-Mar-26 12:00:30 GMT", 30 * s},
		{"Wed Mar  4 12:00:30 2026", 30 * s},
		{"2026-03-04T12:00:30Z", 30 * s},
		{"1772625630", 30 * s},
		{"1772625570", 0},
	} {
		rows = append(rows, row{
			name: c.value, status: 429, header: []string{date, "Retry-After: " + c.value},
			hasWait: true, wait: c.want, refused: true,
		})
	}
	for _, value := range []string{
		"", "-1", "+1", "NaN", "Inf", "infinity", "0x10", "1_000", "1e3", "5s", "5 seconds", "1m", `"5"`, "5\x00",
		"٣", "５", "5\u00a0", "1,000", ".5", "5.", "1.2.3", "5;a=1", "tomorrow", strings.Repeat("9", 101),
	} {
		rows = append(rows, row{
			name: "rejected " + value[:min(len(value), 32)], status: 429, header: []string{date, "Retry-After: " + value},
			refused: true, problems: []string{"Retry-After: malformed"},
		})
	}
	run(t, append(rows,
		row{
			name: "seconds are seconds in 1970 too", status: 429,
			header:  []string{"Date: Thu, 01 Jan 1970 00:00:10 GMT", "Retry-After: 30"},
			hasWait: true, wait: 30 * s, refused: true,
		},
		row{
			name: "an epoch that is not close to now", status: 429,
			header:  []string{date, "Retry-After: 1972625630"},
			hasWait: true, wait: validate.DefaultMaxReset, refused: true,
			problems: []string{"Retry-After: longer than MaxReset, clamped"},
		}))
}

// TestRule09RetryAfterWithoutRefusal: 0 is present and means now. On a response
// that refuses nothing Retry-After is reported and refuses nothing: Jira Data Center
// sends 0 while tokens remain, Flask-Limiter the whole wait with every response.
func TestRule09RetryAfterWithoutRefusal(t *testing.T) {
	run(t, []row{
		{
			name:   "0 on success",
			header: []string{"Retry-After: 0", "X-RateLimit-Remaining: 5"}, limits: several(limit(unsaid, 5, unsaid, unsaid)),
			hasWait: true, wait: wait0,
		},
		{
			name:   "on every response",
			header: []string{"Retry-After: 60", "X-RateLimit-Remaining: 5"}, limits: several(limit(unsaid, 5, unsaid, unsaid)),
			hasWait: true, wait: 60 * s,
		},
		{name: "on a redirect", status: 301, header: []string{"Retry-After: 60"}, hasWait: true, wait: 60 * s},
		{name: "on an error of the server", status: 500, header: []string{"Retry-After: 60"}, hasWait: true, wait: 60 * s},
		{name: "0 on a refusal", status: 429, header: []string{"Retry-After: 0"}, hasWait: true, wait: wait0, refused: true},
		{name: "0 proves nothing on a 403", status: 403, header: []string{"Retry-After: 0"}, hasWait: true, wait: wait0},
	})
}

// TestRule10RetryAfterAndReset: both are reported, for Retry-After is about the next
// request and the reset about the quota, and a malformed one hides neither. Discord's
// shared limits and GitHub's secondary ones send a wait with quota left. That the
// wait governs the next request is tested where that is decided, in the root package.
func TestRule10RetryAfterAndReset(t *testing.T) {
	run(t, []row{
		{
			name: "Retry-After with quota left", status: 429,
			header:  []string{"Retry-After: 5", "RateLimit-Remaining: 3", "RateLimit-Reset: 30"},
			limits:  several(limit(unsaid, 3, unsaid, 30*s)),
			hasWait: true, wait: 5 * s, refused: true,
		},
		{
			name: "Retry-After beyond the reset", status: 403,
			header:  []string{"Retry-After: 60", "X-RateLimit-Limit: 5000", "X-RateLimit-Remaining: 4987", "X-RateLimit-Reset: 30"},
			limits:  several(limit(5000, 4987, unsaid, 30*s)),
			hasWait: true, wait: 60 * s, refused: true,
		},
		{
			name: "malformed Retry-After", status: 429,
			header:   []string{"Retry-After: soon", "RateLimit-Remaining: 0", "RateLimit-Reset: 30"},
			limits:   several(limit(unsaid, 0, unsaid, 30*s)),
			refused:  true,
			problems: []string{"Retry-After: malformed"},
		},
		{
			name: "malformed reset", status: 429,
			header:  []string{"Retry-After: 5", "RateLimit-Remaining: 0", "RateLimit-Reset: soon"},
			limits:  several(limit(unsaid, 0, unsaid, unsaid)),
			hasWait: true, wait: 5 * s, refused: true,
			problems: []string{"RateLimit-Reset: malformed"},
		},
	})
}
