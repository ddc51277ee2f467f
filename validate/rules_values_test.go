package validate_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/validate"
)

// TestRule20Commas checks what a comma in a -Limit means.
//
// A list with w=n has policies, as in the early drafts and from Envoy. Equal numbers are one number that
// a proxy joined. Different numbers are several limits if the remaining or used units have as many
// numbers, as Strava sends for a quarter of an hour and a day. A single 5,000 is not a number, and not 5.
func TestRule20Commas(t *testing.T) {
	run(t, []row{
		{
			name:   "policies of a draft",
			header: []string{`RateLimit-Limit: 100, 100;w=60;comment="fair, use", 1000;w=3600`, "RateLimit-Remaining: 50", "RateLimit-Reset: 30"},
			limits: limitList(
				named("100;w=60", limit(100, 50, 60*s, 30*s)),
				named("1000;w=3600", limit(1000, unknown, 3600*s, unknown))),
		},
		{
			name:   "joined by a proxy",
			header: []string{"X-RateLimit-Limit: 100, 100", "X-RateLimit-Remaining: 50,50", "X-RateLimit-Reset: 30, 30"},
			limits: limitList(limit(100, 50, unknown, 30*s)),
		},
		{
			name:   "pairs",
			header: []string{"X-RateLimit-Limit: 20, 1000", "X-RateLimit-Remaining: 19, 0", "X-RateLimit-Reset: 1, 3600"},
			limits: limitList(named("20", limit(20, 19, unknown, s)), named("1000", limit(1000, 0, unknown, 3600*s))),
		},
		{
			name:   "limit and usage",
			header: []string{"X-RateLimit-Limit: 600,30000", "X-RateLimit-Usage: 314,27536"},
			limits: limitList(named("600", limit(600, 286, unknown, unknown)), named("30000", limit(30000, 2464, unknown, unknown))),
		},
		{
			name: "Strava, at noon", url: "https://www.strava.com/api/v3/athlete",
			header: []string{date, "X-RateLimit-Limit: 600,30000", "X-RateLimit-Usage: 314,27536"},
			limits: limitList(named("600", limit(600, 286, 900*s, 900*s)), named("30000", limit(30000, 2464, 86400*s, 43200*s))),
		},
		{
			name:     "pairs of which one is not",
			header:   []string{"X-RateLimit-Limit: 600,30000", "X-RateLimit-Remaining: 314"},
			limits:   limitList(limit(unknown, 314, unknown, unknown)),
			problems: []string{"X-RateLimit-Limit: malformed"},
		},
		{
			name:     "a thousands separator",
			header:   []string{"X-RateLimit-Limit: 5,000", "X-RateLimit-Remaining: 4999", "X-RateLimit-Reset: 30"},
			limits:   limitList(limit(unknown, 4999, unknown, 30*s)),
			problems: []string{"X-RateLimit-Limit: malformed"},
		},
		{
			name:     "thousands separators all over",
			header:   []string{"X-RateLimit-Limit: 5,000", "X-RateLimit-Remaining: 4,999", "X-RateLimit-Reset: 1,200"},
			problems: []string{"X-RateLimit-Limit: malformed", "X-RateLimit-Remaining: malformed", "X-RateLimit-Reset: malformed"},
		},
		{
			name:     "nothing else",
			header:   []string{"X-RateLimit-Limit: 5,000"},
			problems: []string{"X-RateLimit-Limit: malformed"},
		},
		{
			name:     "a trailing comma",
			header:   []string{"X-RateLimit-Remaining: 5,"},
			problems: []string{"X-RateLimit-Remaining: malformed"},
		},
	})
}

// TestRule21RepeatedLines checks a field that belongs on one line and has several.
//
// A CDN and the origin behind it may each send a line. All lines are read: of different lines the
// strictest counts, the smallest number and the longest wait. Header.Get would return the first line
// only. Neither Retry-After nor a date is split at a comma.
func TestRule21RepeatedLines(t *testing.T) {
	malformed := func(fields ...string) (problems []string) {
		for _, f := range fields {
			problems = append(problems, f+": malformed")
		}
		return problems
	}
	run(t, []row{
		{
			name: "equal", status: 429,
			header: []string{
				"X-RateLimit-Remaining: 5", "X-RateLimit-Remaining: 5", "X-RateLimit-Reset: 30", "X-RateLimit-Reset: 30.0",
				"Retry-After: 7", "Retry-After: 7",
			},
			limits:  limitList(limit(unknown, 5, unknown, 30*s)),
			hasWait: true, wait: 7 * s, refused: true,
		},
		{
			name: "the strictest", status: 429,
			header: []string{
				"X-RateLimit-Limit: 100", "X-RateLimit-Limit: 60",
				"X-RateLimit-Remaining: 9", "X-RateLimit-Remaining: 0", "X-RateLimit-Remaining: 5",
				"X-RateLimit-Reset: 30", "X-RateLimit-Reset: 60", "Retry-After: 7", "Retry-After: 9",
			},
			limits:  limitList(limit(60, 0, unknown, 60*s)),
			hasWait: true, wait: 9 * s, refused: true,
			problems: malformed("Retry-After", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"),
		},
		{
			name:     "used most",
			header:   []string{"X-RateLimit-Limit: 100", "X-RateLimit-Used: 40", "X-RateLimit-Used: 70"},
			limits:   limitList(limit(100, 30, unknown, unknown)),
			problems: malformed("X-RateLimit-Used"),
		},
		{
			name: "dates", status: 503,
			header:  []string{date, "Retry-After: Wed, 04 Mar 2026 12:00:30 GMT", "Retry-After: Wed, 04 Mar 2026 12:00:40 GMT"},
			hasWait: true, wait: 40 * s, refused: true, problems: malformed("Retry-After"),
		},
		{
			name: "a list of waits", status: 429,
			header:  []string{"Retry-After: 7, 9"},
			refused: true, problems: malformed("Retry-After"),
		},
		{
			name:     "one of them malformed",
			header:   []string{"X-RateLimit-Remaining: x", "X-RateLimit-Remaining: 5"},
			limits:   limitList(limit(unknown, 5, unknown, unknown)),
			problems: malformed("X-RateLimit-Remaining"),
		},
		{
			name:   "lists are one list",
			header: []string{`RateLimit: "a";r=1`, `RateLimit: "b";r=2`, `RateLimit-Policy: "b";q=9`, `RateLimit-Policy: "a";q=8`},
			limits: limitList(named("a", limit(8, 1, unknown, unknown)), named("b", limit(9, 2, unknown, unknown))),
		},
	})
}

// TestRule29NameMatching checks that whole names are compared, without regard to case.
//
// Fields that only look similar are ignored: Jira's and Bitbucket's X-RateLimit-NearLimit, Jira's
// RateLimit-Reason, Discord's -Scope and -Global, tollbooth's -Request-Remote-Addr, and names in
// Access-Control-Expose-Headers.
func TestRule29NameMatching(t *testing.T) {
	run(t, []row{
		{
			name: "others", status: 429,
			header: []string{
				"X-RateLimit-NearLimit: 1", "RateLimit-Reason: 1", "X-Rate-Limit-Request-Remote-Addr: 1",
				"Access-Control-Expose-Headers: X-RateLimit-Limit, X-RateLimit-Remaining",
				"RateLimits: 1", "My-X-RateLimit-Remaining: 1", "X-RateLimit-Remainings: 1", "Retry-Afterwards: 1",
			},
			refused: true,
		},
		{
			name:   "names, scopes and flags count nothing",
			header: []string{"X-RateLimit-Scope: 5", "X-RateLimit-Global: 5", "X-RateLimit-Resource: 5", "X-RateLimit-Bucket: 5"},
		},
		{
			name: "words that are no dimension", status: 429,
			header: []string{
				"X-RateLimit-Limit-Description: 5", "X-RateLimit-Reset-Epoch: 5", "X-RateLimit-Type: 5", "X-RateLimit-Category: 5",
				"X-RateLimit-Remaining-: 5", "X-RateLimit--Remaining: 5", "RateLimit-Reset-Tokens-Tokens-Or-So: 5",
			},
			refused: true,
		},
		{
			name:   "a name beside counts",
			header: []string{"X-RateLimit-Remaining: 7", "X-RateLimit-Resource: 5", "X-RateLimit-Scope: shared"},
			limits: limitList(named("5", limit(unknown, 7, unknown, unknown))),
		},
		{
			name:   "any case",
			header: []string{"RATELIMIT-LIMIT: 10", "ratelimit-remaining: 7", "rAtElImIt-ReSeT: 30"},
			limits: limitList(limit(10, 7, unknown, 30*s)),
		},
	})
	t.Run("any case in a map made by hand", func(t *testing.T) {
		m := message{status: 200, header: map[string][]string{"x-ratelimit-limit": {"10"}, "X-RATELIMIT-REMAINING": {"7"}}}
		got := m.read(received, validate.Bounds{})
		require.Equal(t, limitList(limit(10, 7, unknown, unknown)), withoutDialects(got.Limits))
	})
}
