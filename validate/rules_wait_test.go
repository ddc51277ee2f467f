package validate_test

import (
	"strings"
	"testing"
	"time"

	"github.com/headway-go/headway/validate"
)

// TestRule08RetryAfter checks the forms of Retry-After.
//
// It is a number of digits or a date (rule 4). The number may have a fraction, which is never rounded
// down to 0, or a unit, as some servers send a duration. Other numbers that lenient parsers accept are errors. Seconds that
// are an epoch close to now are read as an epoch, as other parsers do. Shopify sends 2.0, and servers that do not round send 0.25.
// crates.io sends dates, go-limiter sends them with the zone UTC, and Zoom sends a timestamp.
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
		{"+1", s},
		{"5s", 5 * s},
		{"1m", 60 * s},
		{"5, 5", 5 * s},
		{"5;a=1", 5 * s},
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
		"", "-1", "NaN", "Inf", "infinity", "0x10", "1_000", "1e3", "5 seconds", `"5"`, "5\x00",
		"٣", "５", "5\u00a0", "1,000", ".5", "5.", "1.2.3", "tomorrow", strings.Repeat("9", 101),
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

// TestRule09RetryAfterWithoutRefusal checks that Retry-After on a successful response is reported and
// does not make it a refusal. 0 is reported as 0, not as Unknown. Jira Data Center sends 0 while tokens
// remain. Flask-Limiter sends the wait until the reset with every response.
func TestRule09RetryAfterWithoutRefusal(t *testing.T) {
	run(t, []row{
		{
			name:   "0 on success",
			header: []string{"Retry-After: 0", "X-RateLimit-Remaining: 5"}, limits: limitList(limit(unknown, 5, unknown, unknown)),
			hasWait: true, wait: wait0,
		},
		{
			name:   "on every response",
			header: []string{"Retry-After: 60", "X-RateLimit-Remaining: 5"}, limits: limitList(limit(unknown, 5, unknown, unknown)),
			hasWait: true, wait: 60 * s,
		},
		{name: "on a redirect", status: 301, header: []string{"Retry-After: 60"}, hasWait: true, wait: 60 * s},
		{name: "on an error of the server", status: 500, header: []string{"Retry-After: 60"}, hasWait: true, wait: 60 * s},
		{name: "0 on a refusal", status: 429, header: []string{"Retry-After: 0"}, hasWait: true, wait: wait0, refused: true},
		{name: "0 proves nothing on a 403", status: 403, header: []string{"Retry-After: 0"}, hasWait: true, wait: wait0},
	})
}

// TestRule10RetryAfterAndReset checks that both are reported: Retry-After is about the next request, the
// reset about the quota. A malformed one does not hide the other.
//
// Discord's shared limits and GitHub's secondary limits send a wait while quota is left. That the wait
// decides when the next request is sent is tested in the root package.
func TestRule10RetryAfterAndReset(t *testing.T) {
	run(t, []row{
		{
			name: "Retry-After with quota left", status: 429,
			header:  []string{"Retry-After: 5", "RateLimit-Remaining: 3", "RateLimit-Reset: 30"},
			limits:  limitList(limit(unknown, 3, unknown, 30*s)),
			hasWait: true, wait: 5 * s, refused: true,
		},
		{
			name: "Retry-After beyond the reset", status: 403,
			header:  []string{"Retry-After: 60", "X-RateLimit-Limit: 5000", "X-RateLimit-Remaining: 4987", "X-RateLimit-Reset: 30"},
			limits:  limitList(limit(5000, 4987, unknown, 30*s)),
			hasWait: true, wait: 60 * s, refused: true,
		},
		{
			name: "malformed Retry-After", status: 429,
			header:   []string{"Retry-After: soon", "RateLimit-Remaining: 0", "RateLimit-Reset: 30"},
			limits:   limitList(limit(unknown, 0, unknown, 30*s)),
			refused:  true,
			problems: []string{"Retry-After: malformed"},
		},
		{
			name: "malformed reset", status: 429,
			header:  []string{"Retry-After: 5", "RateLimit-Remaining: 0", "RateLimit-Reset: soon"},
			limits:  limitList(limit(unknown, 0, unknown, unknown)),
			hasWait: true, wait: 5 * s, refused: true,
			problems: []string{"RateLimit-Reset: malformed"},
		},
	})
}
