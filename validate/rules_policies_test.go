package validate_test

import (
	"testing"
	"time"
)

// TestRule23LimitThatIsNoNumber: a -Limit may be a window, as AspNetCoreRateLimit's
// 1m; a quota with its window, as Docker Hub's 100;w=21600; or what is used of the
// quota, as Shopify's 32/40 or Salesforce's api-usage=18/5000, of which the rest
// remains, if any.
func TestRule23LimitThatIsNoNumber(t *testing.T) {
	run(t, []row{
		{
			name:   "a window",
			header: []string{"X-Rate-Limit-Limit: 1m", "X-Rate-Limit-Remaining: 19"},
			limits: several(limit(unsaid, 19, 60*s, unsaid)),
		},
		{
			name:   "a window of half a day",
			header: []string{"X-Rate-Limit-Limit: 12h", "X-Rate-Limit-Remaining: 19"},
			limits: several(limit(unsaid, 19, 12*time.Hour, unsaid)),
		},
		{
			name:   "quota and window",
			header: []string{"RateLimit-Limit: 100;w=60", "RateLimit-Remaining: 76"},
			limits: several(limit(100, 76, 60*s, unsaid)),
		},
		{
			name:   "used of the quota",
			header: []string{"X-RateLimit-Limit: 32/40"},
			limits: several(limit(40, 8, unsaid, unsaid)),
		},
		{
			name:   "used more than the quota",
			header: []string{"X-RateLimit-Limit: 41/40"},
			limits: several(limit(40, 0, unsaid, unsaid)),
		},
		{
			name:   "Shopify",
			header: []string{"X-Shopify-Shop-Api-Call-Limit: 40/40"},
			limits: several(named("shop-api-call", limit(40, 0, 20*s, unsaid))),
		},
		{
			name:   "Salesforce",
			header: []string{"Sforce-Limit-Info: api-usage=18/5000"},
			limits: several(named("api-usage", limit(5000, 4982, 24*time.Hour, unsaid))),
		},
		{
			name:     "neither",
			header:   []string{"X-RateLimit-Limit: -1m", "X-Rate-Limit-Limit: 32/40/50"},
			problems: []string{"X-RateLimit-Limit: malformed", "X-Rate-Limit-Limit: malformed"},
		},
	})
}

// TestRule24UsedWithoutRemaining: what is used leaves the rest of the quota, if it
// is known; Discogs tells it so. Used and remaining without a quota, as Reddit's, are
// the quota together.
func TestRule24UsedWithoutRemaining(t *testing.T) {
	run(t, []row{
		{
			name:   "used",
			header: []string{"X-RateLimit-Limit: 100", "X-RateLimit-Used: 40"},
			limits: several(limit(100, 60, unsaid, unsaid)),
		},
		{
			name:   "nothing",
			header: []string{"X-RateLimit-Limit: 100", "X-RateLimit-Used: 0"},
			limits: several(limit(100, 100, unsaid, unsaid)),
		},
		{
			name:   "more than the quota",
			header: []string{"X-RateLimit-Limit: 100", "X-RateLimit-Used: 130"},
			limits: several(limit(100, 0, unsaid, unsaid)),
		},
		{
			name: "of nothing", status: 429,
			header: []string{"X-RateLimit-Limit: 0", "X-RateLimit-Used: 3"},
			limits: several(limit(0, 0, unsaid, unsaid)), refused: true,
		},
		{
			name:   "remaining comes first",
			header: []string{"X-RateLimit-Limit: 5000", "X-RateLimit-Remaining: 4980", "X-RateLimit-Used: 13"},
			limits: several(limit(5000, 4980, unsaid, unsaid)),
		},
		{
			name:   "-Observed is GitLab's name for it",
			header: []string{"RateLimit-Limit: 60", "RateLimit-Observed: 67"},
			limits: several(limit(60, 0, unsaid, unsaid)),
		},
		{
			name:   "without a quota, as Reddit",
			header: []string{"X-RateLimit-Used: 3", "X-RateLimit-Remaining: 57.0", "X-RateLimit-Reset: 100"},
			limits: several(limit(60, 57, unsaid, 100*s)),
		},
		{
			name: "without a quota, refused", status: 429,
			header: []string{"X-RateLimit-Used: 60", "X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 100"},
			limits: several(limit(60, 0, unsaid, 100*s)), refused: true,
		},
		{
			name:   "used alone",
			header: []string{"X-RateLimit-Used: 3", "X-RateLimit-Reset: 100"},
			limits: several(limit(unsaid, unsaid, unsaid, 100*s)),
		},
	})
}

// TestRule26WindowIsNoWait: the length of the window says nothing about when it
// ends. Docker Hub tells six hours and no reset: the reset stays unknown.
func TestRule26WindowIsNoWait(t *testing.T) {
	run(t, []row{
		{
			name:   "Docker Hub",
			header: []string{"RateLimit-Limit: 100;w=21600", "RateLimit-Remaining: 76;w=21600"},
			limits: several(limit(100, 76, 6*time.Hour, unsaid)),
		},
		{
			name: "Docker Hub, refused", status: 429,
			header: []string{"RateLimit-Limit: 100;w=21600", "RateLimit-Remaining: 0;w=21600"},
			limits: several(limit(100, 0, 6*time.Hour, unsaid)), refused: true,
		},
		{
			name:   "draft 10 without t",
			header: []string{`RateLimit-Policy: "a";q=100;w=60`, `RateLimit: "a";r=0`},
			limits: several(named("a", limit(100, 0, 60*s, unsaid))),
		},
		{
			name:   "a window for the limit",
			header: []string{"X-Rate-Limit-Limit: 1m", "X-Rate-Limit-Remaining: 0"},
			limits: several(limit(unsaid, 0, 60*s, unsaid)),
		},
	})
}

// TestRule27PolicyName: a limit is called as its item, else as a -Name, -Bucket,
// -Resource or -Rule says (GitLab, Discord, GitHub, ServiceNow), else by the window or
// dimension in the names of its fields (Kong, OpenAI, Anthropic, Linear), else not at
// all. Names of structured fields differ in case, and one name with two partition keys
// is two limits (draft-ietf-httpapi-ratelimit-headers-10 §3.1.4).
func TestRule27PolicyName(t *testing.T) {
	run(t, []row{
		{
			name:   "the item",
			header: []string{`RateLimit: "default";r=5`, "RateLimit-Name: other"},
			limits: several(named("default", limit(unsaid, 5, unsaid, unsaid))),
		},
		{
			name:   "-Name, and with a policy beside",
			header: []string{"RateLimit-Limit: 60", "RateLimit-Remaining: 7", "RateLimit-Name: throttle_unauthenticated", "RateLimit-Policy: 60;w=60"},
			limits: several(named("throttle_unauthenticated", limit(60, 7, 60*s, unsaid))),
		},
		{
			name:   "-Resource",
			header: []string{"X-RateLimit-Limit: 5000", "X-RateLimit-Remaining: 4999", "X-RateLimit-Resource: core"},
			limits: several(named("core", limit(5000, 4999, unsaid, unsaid))),
		},
		{
			name:   "-Bucket before -Resource",
			header: []string{"X-RateLimit-Remaining: 4", "X-RateLimit-Resource: core", "X-RateLimit-Bucket: abcd1234"},
			limits: several(named("abcd1234", limit(unsaid, 4, unsaid, unsaid))),
		},
		{
			name:   "-Rule",
			header: []string{"X-RateLimit-Limit: 500", "X-RateLimit-Rule: 1a2b3c"},
			limits: several(named("1a2b3c", limit(500, unsaid, unsaid, unsaid))),
		},
		{
			name: "a window",
			header: []string{
				"X-RateLimit-Limit-Second: 5", "X-RateLimit-Remaining-Second: 4", "X-RateLimit-Limit-Year: 900", "X-RateLimit-Remaining-Year: 800",
			},
			limits: several(
				named("second", limit(5, 4, s, unsaid)),
				named("year", limit(900, 800, 366*24*time.Hour, unsaid))),
		},
		{
			name: "a dimension behind",
			header: []string{
				"x-ratelimit-limit-requests: 60", "x-ratelimit-remaining-requests: 59", "x-ratelimit-reset-requests: 1s",
				"x-ratelimit-limit-tokens: 150000", "x-ratelimit-remaining-tokens: 149984", "x-ratelimit-reset-tokens: 6m0s",
			},
			limits: several(
				named("requests", limit(60, 59, unsaid, s)),
				named("tokens", counted("tokens", limit(150000, 149984, unsaid, 360*s)))),
		},
		{
			name: "a dimension before",
			header: []string{
				date, "anthropic-ratelimit-input-tokens-limit: 20000", "anthropic-ratelimit-input-tokens-remaining: 18000",
				"anthropic-ratelimit-input-tokens-reset: 2026-03-04T12:00:30Z",
				"X-RateLimit-Complexity-Limit: 250000", "X-RateLimit-Complexity-Remaining: 249000", "X-RateLimit-Complexity-Reset: 1772625660000",
			},
			limits: several(
				named("complexity", counted("complexity", limit(250000, 249000, unsaid, 60*s))),
				named("input-tokens", counted("input-tokens", limit(20000, 18000, unsaid, 30*s)))),
		},
		{
			name:   "none",
			header: []string{"X-RateLimit-Remaining: 4"},
			limits: several(limit(unsaid, 4, unsaid, unsaid)),
		},
		{
			name:   "names differ in case",
			header: []string{`RateLimit: "a";r=1, "A";r=2`, `RateLimit-Policy: "A";q=5;w=1, "a";q=6;w=1`},
			limits: several(named("a", limit(6, 1, s, unsaid)), named("A", limit(5, 2, s, unsaid))),
		},
		{
			name: "one name with two partition keys",
			header: []string{
				`RateLimit: "a";r=1;pk=:QQ==:, "a";r=2;pk=:Qg==:`,
				`RateLimit-Policy: "a";q=6;w=2;pk=:Qg==:, "a";q=5;w=1;pk=:QQ==:`,
			},
			limits: several(
				keyed("QQ==", named("a", limit(5, 1, s, unsaid))),
				keyed("Qg==", named("a", limit(6, 2, 2*s, unsaid)))),
		},
	})
}

// TestRule28WhichPolicy: before draft 08 a policy has no name, and the numbers
// belong to the one whose quota is the expiring limit. If there is none, or several
// with other windows, the window is unknown. Envoy writes its policies so, and some
// of them twice.
func TestRule28WhichPolicy(t *testing.T) {
	ambiguous := []string{"RateLimit-Policy: several policies match, ignored"}
	trio := []string{"RateLimit-Limit: 100", "RateLimit-Remaining: 5", "RateLimit-Reset: 6"}
	with := func(policies string) []string { return append([]string{"RateLimit-Policy: " + policies}, trio...) }
	run(t, []row{
		{
			name: "one of two", header: with("1000;w=3600, 100;w=60"),
			limits: several(
				named("100;w=60", limit(100, 5, 60*s, 6*s)),
				named("1000;w=3600", limit(1000, unsaid, time.Hour, unsaid))),
		},
		{name: "two", header: with("100;w=3600, 100;w=60"), limits: several(limit(100, 5, unsaid, 6*s)), problems: ambiguous},
		{
			name:   "two in draft 07",
			header: []string{"RateLimit-Policy: 100;w=3600, 100;w=60", "RateLimit: limit=100, remaining=5, reset=6"},
			limits: several(limit(100, 5, unsaid, 6*s)), problems: ambiguous,
		},
		{
			name: "none", header: with("50;w=60"),
			limits: several(limit(100, 5, unsaid, 6*s), named("RateLimit-Policy", limit(50, unsaid, 60*s, unsaid))),
		},
		{
			name:   "Envoy",
			header: []string{`X-RateLimit-Limit: 10, 10;w=1;name="per-ip", 1000;w=3600`, "X-RateLimit-Remaining: 9", "X-RateLimit-Reset: 1"},
			limits: several(
				named("per-ip", limit(10, 9, s, s)),
				named("1000;w=3600", limit(1000, unsaid, time.Hour, unsaid))),
		},
		{
			name:   "Envoy's duplicates have one window",
			header: []string{`X-RateLimit-Limit: 10, 10;w=1, 10;w=1`, "X-RateLimit-Remaining: 9", "X-RateLimit-Reset: 1"},
			limits: several(named("10;w=1", limit(10, 9, s, s))),
		},
		{
			name:   "Envoy's duplicates with two names go by quota and window",
			header: []string{`X-RateLimit-Limit: 10, 10;w=1;name="ip", 10;w=1;name="user"`, "X-RateLimit-Remaining: 9", "X-RateLimit-Reset: 1"},
			limits: several(named("10;w=1", limit(10, 9, s, s))),
		},
	})
}
