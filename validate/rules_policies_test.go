package validate_test

import (
	"testing"
	"time"
)

// TestRule23LimitThatIsNoNumber checks the forms of -Limit other than a number.
//
// It may be a window, as AspNetCoreRateLimit's 1m. It may be a quota with its window, as Docker Hub's
// 100;w=21600. It may be the used units of a quota, as Shopify's 32/40; the rest remains.
func TestRule23LimitThatIsNoNumber(t *testing.T) {
	run(t, []row{
		{
			name:   "a window",
			header: []string{"X-Rate-Limit-Limit: 1m", "X-Rate-Limit-Remaining: 19"},
			limits: limitList(limit(unknown, 19, 60*s, unknown)),
		},
		{
			name:   "a window of half a day",
			header: []string{"X-Rate-Limit-Limit: 12h", "X-Rate-Limit-Remaining: 19"},
			limits: limitList(limit(unknown, 19, 12*time.Hour, unknown)),
		},
		{
			name:   "quota and window",
			header: []string{"RateLimit-Limit: 100;w=60", "RateLimit-Remaining: 76"},
			limits: limitList(limit(100, 76, 60*s, unknown)),
		},
		{
			name:   "used of the quota",
			header: []string{"X-RateLimit-Limit: 32/40"},
			limits: limitList(limit(40, 8, unknown, unknown)),
		},
		{
			name:   "used more than the quota",
			header: []string{"X-RateLimit-Limit: 41/40"},
			limits: limitList(limit(40, 0, unknown, unknown)),
		},
		{
			name:   "Shopify",
			header: []string{"X-Shopify-Shop-Api-Call-Limit: 40/40"},
			limits: limitList(named("shop-api-call", limit(40, 0, 20*s, unknown))),
		},
		{
			name:     "neither",
			header:   []string{"X-RateLimit-Limit: -1m", "X-Rate-Limit-Limit: 32/40/50"},
			problems: []string{"X-RateLimit-Limit: malformed", "X-Rate-Limit-Limit: malformed"},
		},
	})
}

// TestRule24UsedWithoutRemaining checks that the used units give the remaining quota if the quota is
// known, as for Discogs. Used and remaining units without a quota, as Reddit sends them, add up to the
// quota.
func TestRule24UsedWithoutRemaining(t *testing.T) {
	run(t, []row{
		{
			name:   "used",
			header: []string{"X-RateLimit-Limit: 100", "X-RateLimit-Used: 40"},
			limits: limitList(limit(100, 60, unknown, unknown)),
		},
		{
			name:   "nothing",
			header: []string{"X-RateLimit-Limit: 100", "X-RateLimit-Used: 0"},
			limits: limitList(limit(100, 100, unknown, unknown)),
		},
		{
			name:   "more than the quota",
			header: []string{"X-RateLimit-Limit: 100", "X-RateLimit-Used: 130"},
			limits: limitList(limit(100, 0, unknown, unknown)),
		},
		{
			name: "of nothing", status: 429,
			header: []string{"X-RateLimit-Limit: 0", "X-RateLimit-Used: 3"},
			limits: limitList(limit(0, 0, unknown, unknown)), refused: true,
		},
		{
			name:   "remaining comes first",
			header: []string{"X-RateLimit-Limit: 5000", "X-RateLimit-Remaining: 4980", "X-RateLimit-Used: 13"},
			limits: limitList(limit(5000, 4980, unknown, unknown)),
		},
		{
			name:   "-Observed is GitLab's name for it",
			header: []string{"RateLimit-Limit: 60", "RateLimit-Observed: 67"},
			limits: limitList(limit(60, 0, unknown, unknown)),
		},
		{
			name:   "without a quota, as Reddit",
			header: []string{"X-RateLimit-Used: 3", "X-RateLimit-Remaining: 57.0", "X-RateLimit-Reset: 100"},
			limits: limitList(limit(60, 57, unknown, 100*s)),
		},
		{
			name: "without a quota, refused", status: 429,
			header: []string{"X-RateLimit-Used: 60", "X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 100"},
			limits: limitList(limit(60, 0, unknown, 100*s)), refused: true,
		},
		{
			name:   "used alone",
			header: []string{"X-RateLimit-Used: 3", "X-RateLimit-Reset: 100"},
			limits: limitList(limit(unknown, unknown, unknown, 100*s)),
		},
	})
}

// TestRule26WindowIsNoWait checks that the length of a window is never used as the reset. Docker Hub
// sends a window of six hours and no reset: the reset stays Unknown.
func TestRule26WindowIsNoWait(t *testing.T) {
	run(t, []row{
		{
			name:   "Docker Hub",
			header: []string{"RateLimit-Limit: 100;w=21600", "RateLimit-Remaining: 76;w=21600"},
			limits: limitList(limit(100, 76, 6*time.Hour, unknown)),
		},
		{
			name: "Docker Hub, refused", status: 429,
			header: []string{"RateLimit-Limit: 100;w=21600", "RateLimit-Remaining: 0;w=21600"},
			limits: limitList(limit(100, 0, 6*time.Hour, unknown)), refused: true,
		},
		{
			name:   "draft 10 without t",
			header: []string{`RateLimit-Policy: "a";q=100;w=60`, `RateLimit: "a";r=0`},
			limits: limitList(named("a", limit(100, 0, 60*s, unknown))),
		},
		{
			name:   "a window for the limit",
			header: []string{"X-Rate-Limit-Limit: 1m", "X-Rate-Limit-Remaining: 0"},
			limits: limitList(limit(unknown, 0, 60*s, unknown)),
		},
	})
}

// TestRule27PolicyName checks where the name of a limit comes from.
//
// The sources in order: the item's name; -Name, -Bucket, -Resource or -Rule (GitLab, Discord, GitHub,
// ServiceNow); the label in the names of the fields (Kong, OpenAI, Anthropic, Linear). Names of
// structured fields may differ in case only. One name with two partition keys is two limits
// (draft-ietf-httpapi-ratelimit-headers-10 §3.1.4).
func TestRule27PolicyName(t *testing.T) {
	run(t, []row{
		{
			name:   "the item",
			header: []string{`RateLimit: "default";r=5`, "RateLimit-Name: other"},
			limits: limitList(named("default", limit(unknown, 5, unknown, unknown))),
		},
		{
			name:   "-Name, and with a policy beside",
			header: []string{"RateLimit-Limit: 60", "RateLimit-Remaining: 7", "RateLimit-Name: throttle_unauthenticated", "RateLimit-Policy: 60;w=60"},
			limits: limitList(named("throttle_unauthenticated", limit(60, 7, 60*s, unknown))),
		},
		{
			name:   "-Resource",
			header: []string{"X-RateLimit-Limit: 5000", "X-RateLimit-Remaining: 4999", "X-RateLimit-Resource: core"},
			limits: limitList(named("core", limit(5000, 4999, unknown, unknown))),
		},
		{
			name:   "-Bucket before -Resource",
			header: []string{"X-RateLimit-Remaining: 4", "X-RateLimit-Resource: core", "X-RateLimit-Bucket: abcd1234"},
			limits: limitList(named("abcd1234", limit(unknown, 4, unknown, unknown))),
		},
		{
			name:   "-Rule",
			header: []string{"X-RateLimit-Limit: 500", "X-RateLimit-Rule: 1a2b3c"},
			limits: limitList(named("1a2b3c", limit(500, unknown, unknown, unknown))),
		},
		{
			name: "a window",
			header: []string{
				"X-RateLimit-Limit-Second: 5", "X-RateLimit-Remaining-Second: 4", "X-RateLimit-Limit-Year: 900", "X-RateLimit-Remaining-Year: 800",
			},
			limits: limitList(
				named("second", limit(5, 4, s, unknown)),
				named("year", limit(900, 800, 366*24*time.Hour, unknown))),
		},
		{
			name: "a dimension behind",
			header: []string{
				"x-ratelimit-limit-requests: 60", "x-ratelimit-remaining-requests: 59", "x-ratelimit-reset-requests: 1s",
				"x-ratelimit-limit-tokens: 150000", "x-ratelimit-remaining-tokens: 149984", "x-ratelimit-reset-tokens: 6m0s",
			},
			limits: limitList(
				named("requests", limit(60, 59, unknown, s)),
				named("tokens", withUnit("tokens", limit(150000, 149984, unknown, 360*s)))),
		},
		{
			name: "a dimension before",
			header: []string{
				date, "anthropic-ratelimit-input-tokens-limit: 20000", "anthropic-ratelimit-input-tokens-remaining: 18000",
				"anthropic-ratelimit-input-tokens-reset: 2026-03-04T12:00:30Z",
				"X-RateLimit-Complexity-Limit: 250000", "X-RateLimit-Complexity-Remaining: 249000", "X-RateLimit-Complexity-Reset: 1772625660000",
			},
			limits: limitList(
				named("complexity", withUnit("complexity", limit(250000, 249000, unknown, 60*s))),
				named("input-tokens", withUnit("input-tokens", limit(20000, 18000, unknown, 30*s)))),
		},
		{
			name:   "none",
			header: []string{"X-RateLimit-Remaining: 4"},
			limits: limitList(limit(unknown, 4, unknown, unknown)),
		},
		{
			name:   "names differ in case",
			header: []string{`RateLimit: "a";r=1, "A";r=2`, `RateLimit-Policy: "A";q=5;w=1, "a";q=6;w=1`},
			limits: limitList(named("a", limit(6, 1, s, unknown)), named("A", limit(5, 2, s, unknown))),
		},
		{
			name: "one name with two partition keys",
			header: []string{
				`RateLimit: "a";r=1;pk=:QQ==:, "a";r=2;pk=:Qg==:`,
				`RateLimit-Policy: "a";q=6;w=2;pk=:Qg==:, "a";q=5;w=1;pk=:QQ==:`,
			},
			limits: limitList(
				withKey("QQ==", named("a", limit(5, 1, s, unknown))),
				withKey("Qg==", named("a", limit(6, 2, 2*s, unknown)))),
		},
	})
}

// TestRule28WhichPolicy checks which policy belongs to the numbers before draft 08, in which policies
// have no names.
//
// It is the first policy whose quota is the limit and whose window is not shorter than the reset. If there is none, the
// window is Unknown. The other policies are limits of their own. Envoy sends such policies, and some of them twice.
func TestRule28WhichPolicy(t *testing.T) {
	trio := []string{"RateLimit-Limit: 100", "RateLimit-Remaining: 5", "RateLimit-Reset: 6"}
	with := func(policies string) []string { return append([]string{"RateLimit-Policy: " + policies}, trio...) }
	run(t, []row{
		{
			name: "one of two", header: with("1000;w=3600, 100;w=60"),
			limits: limitList(
				named("100;w=60", limit(100, 5, 60*s, 6*s)),
				named("1000;w=3600", limit(1000, unknown, time.Hour, unknown))),
		},
		{
			name: "two", header: with("100;w=3600, 100;w=60"),
			limits: limitList(named("100;w=3600", limit(100, 5, time.Hour, 6*s)), named("100;w=60", limit(100, unknown, 60*s, unknown))),
		},
		{
			name:   "the second of two by the reset, in draft 07",
			header: []string{"RateLimit-Policy: 100;w=60, 100;w=3600", "RateLimit: limit=100, remaining=5, reset=600"},
			limits: limitList(named("100;w=3600", limit(100, 5, time.Hour, 600*s)), named("100;w=60", limit(100, unknown, 60*s, unknown))),
		},
		{
			name: "none", header: with("50;w=60"),
			limits: limitList(limit(100, 5, unknown, 6*s), named("RateLimit-Policy", limit(50, unknown, 60*s, unknown))),
		},
		{
			name:   "Envoy",
			header: []string{`X-RateLimit-Limit: 10, 10;w=1;name="per-ip", 1000;w=3600`, "X-RateLimit-Remaining: 9", "X-RateLimit-Reset: 1"},
			limits: limitList(
				named("per-ip", limit(10, 9, s, s)),
				named("1000;w=3600", limit(1000, unknown, time.Hour, unknown))),
		},
		{
			name:   "Envoy's duplicates have one window",
			header: []string{`X-RateLimit-Limit: 10, 10;w=1, 10;w=1`, "X-RateLimit-Remaining: 9", "X-RateLimit-Reset: 1"},
			limits: limitList(named("10;w=1", limit(10, 9, s, s))),
		},
		{
			name:   "Envoy's duplicates with two names",
			header: []string{`X-RateLimit-Limit: 10, 10;w=1;name="ip", 10;w=1;name="user"`, "X-RateLimit-Remaining: 9", "X-RateLimit-Reset: 1"},
			limits: limitList(named("ip", limit(10, 9, s, s)), named("user", limit(10, unknown, s, unknown))),
		},
	})
}
