package validate_test

import "testing"

// TestRule12SeveralFamilies checks the order and the merging of families.
//
// Families are read in the order RateLimit, RateLimit-*, names with a label, X-RateLimit-*,
// X-Rate-Limit-*. A malformed family is skipped. Families with the same numbers are one limit, and each
// may add a part. Families with other numbers are another limit, such as a CDN's beside the origin's;
// both are kept.
//
// express-rate-limit sends draft 07 and X-RateLimit-* together. Zendesk sends names with and without
// hyphens. Kong's plain trio repeats the window that is nearest to exhaustion.
func TestRule12SeveralFamilies(t *testing.T) {
	run(t, []row{
		{
			name: "the same numbers",
			header: []string{
				date, `RateLimit-Policy: "a";q=100;w=60`, `RateLimit: "a";r=50;t=30`,
				"RateLimit-Limit: 100", "RateLimit-Remaining: 50", "RateLimit-Reset: 30",
				"X-RateLimit-Limit: 100", "X-RateLimit-Remaining: 50", "X-RateLimit-Reset: 1772625631",
				"X-Rate-Limit-Limit: 100", "X-Rate-Limit-Remaining: 50", "X-Rate-Limit-Reset: 2026-03-04T12:00:29Z",
			},
			limits: limitList(named("a", limit(100, 50, 60*s, 30*s))),
		},
		{
			name: "express-rate-limit",
			header: []string{
				date, "RateLimit-Policy: 5;w=60", "RateLimit: limit=5, remaining=4, reset=60",
				"X-RateLimit-Limit: 5", "X-RateLimit-Remaining: 4", "X-RateLimit-Reset: 1772625660",
			},
			limits: limitList(limit(5, 4, 60*s, 60*s)),
		},
		{
			name: "different numbers",
			header: []string{
				`RateLimit-Policy: "a";q=100;w=60`, `RateLimit: "a";r=50;t=30`,
				"RateLimit-Limit: 200", "RateLimit-Remaining: 50", "RateLimit-Reset: 30",
				"X-RateLimit-Limit: 100", "X-RateLimit-Remaining: 51", "X-RateLimit-Reset: 30",
				"X-Rate-Limit-Limit: 100", "X-Rate-Limit-Remaining: 50", "X-Rate-Limit-Reset: 33",
			},
			limits: limitList(
				named("a", limit(100, 50, 60*s, 30*s)),
				limit(200, 50, unknown, 30*s),
				named("X-RateLimit", limit(100, 51, unknown, 30*s)),
				named("X-Rate-Limit", limit(100, 50, unknown, 33*s))),
		},
		{
			name: "a malformed one falls through to the next",
			header: []string{
				`RateLimit: "a";r=50;t=30,`, `RateLimit-Policy: "fixed window";"a";q=500;w=300`,
				"RateLimit-Limit: 200", "RateLimit-Remaining: x", "RateLimit-Reset: 30",
			},
			limits:   limitList(limit(200, unknown, unknown, 30*s)),
			problems: []string{"RateLimit: malformed", "RateLimit-Policy: malformed", "RateLimit-Remaining: malformed"},
		},
		{
			name: "what one does not know the next may",
			header: []string{
				`RateLimit: "a";r=50;t=30`,
				"X-RateLimit-Limit: 100", "X-RateLimit-Remaining: 50", "X-RateLimit-Resource: core",
			},
			limits: limitList(named("a", limit(100, 50, unknown, 30*s))),
		},
		{
			name: "one that is used up is not hidden by one that is not",
			header: []string{
				`RateLimit: "cdn";r=900;t=30`,
				"X-RateLimit-Limit: 10", "X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 60",
			},
			limits: limitList(
				named("cdn", limit(unknown, 900, unknown, 30*s)),
				limit(10, 0, unknown, 60*s)),
		},
		{
			name: "Kong",
			header: []string{
				"RateLimit-Limit: 60", "RateLimit-Remaining: 59", "RateLimit-Reset: 30",
				"X-RateLimit-Limit-Minute: 60", "X-RateLimit-Remaining-Minute: 59",
				"X-RateLimit-Limit-Hour: 1000", "X-RateLimit-Remaining-Hour: 999",
			},
			limits: limitList(
				named("minute", limit(60, 59, 60*s, 30*s)),
				named("hour", limit(1000, 999, 3600*s, unknown))),
		},
		{
			name: "names with a dimension come before plain ones",
			header: []string{
				"X-RateLimit-Limit: 100", "X-RateLimit-Remaining: 50",
				"X-RateLimit-Limit-Requests: 200", "X-RateLimit-Remaining-Requests: 199",
				"RateLimit-Limit: 300", "RateLimit-Remaining: 299",
			},
			limits: limitList(
				limit(300, 299, unknown, unknown),
				named("requests", limit(200, 199, unknown, unknown)),
				named("X-RateLimit", limit(100, 50, unknown, unknown))),
		},
		{
			name: "a malformed dimension falls through as well",
			header: []string{
				"X-RateLimit-Remaining-Tokens: many",
				"X-RateLimit-Limit: 100", "X-RateLimit-Remaining: 50",
			},
			limits:   limitList(limit(100, 50, unknown, unknown)),
			problems: []string{"X-RateLimit-Remaining-Tokens: malformed"},
		},
	})
}
