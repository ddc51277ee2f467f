package parse_test

import "testing"

// vendorNames has the names that follow no rule.
func vendorNames() []valueRow {
	return []valueRow{
		{"retry-after-ms", "5", "fine 5ms"},
		{"x-retry-in", "5s", "fine 5s"},
		{"x-retry-after", "5", "other-wait 5s"},
		{"x-throttle-wait-seconds", "5", "other-wait 5s"},
		{"x-ratelimit-retry-after", "5", "other-wait 5s"},
		{"x-rate-limit-retry-after-seconds", "5", "other-wait 5s"},
		{"x-ratelimit-after", "5", "other-wait 5s"},
		{"x-rate-limit-retry", "5", "other-wait 5s"},
		{"x-ratelimit-retry-at", "2026-03-04T12:00:30Z", "other-wait 2026-03-04T12:00:30Z"},
		{"x-ratelimit-short-retry-after-ms", "5", "fine 5ms"},
		{"retry-after-short", "5", `wait "short" 5s`},
		{"x-ratelimit-retry-after-short", "5", `wait "short" 5s`},
		{"x-ratelimit-short-retry-after", "5", `wait "short" 5s`},

		{"x-ratelimit", "5", "X-RateLimit q=5"},
		{"x-rate-limit", "5", "X-Rate-Limit q=5"},
		{"x-discogs-ratelimit-used", "5", `other "discogs" used=5 w=1m0s`},
		{"x-hubspot-ratelimit-daily", "5", `other "daily" q=5 w=24h0m0s`},
		{"x-hubspot-ratelimit-max", "5", `other "" q=5`},
		{"x-hubspot-ratelimit-interval-milliseconds", "5", `other "" w=5ms`},
		{"x-shopify-shop-api-call-limit", "3/5", `other "shop-api-call" q=5 used=3 w=20s`},
		{"x-ls-api-bucket-level", "3/5", `other "api-bucket" q=5 used=3 w=1m0s`},

		{"x-ratelimit-userlimit", "5", `other "user" q=5`},
		{"x-ratelimit-userremaining", "5", `other "user" r=5`},
		{"x-ratelimit-clientlimit", "5", `other "client" q=5`},
		{"x-daylimit-remaining", "5", `other "day" r=5 w=24h0m0s`},
		{"x-appminlimit-remaining", "5", `other "app-minute" r=5 w=1m0s`},

		{"x-trial-endpoint-call-limit", "5", `other "trial-endpoint-call" q=5`},
		{"x-endpoint-monthly-call-limit", "5", `other "endpoint-monthly-call" q=5 w=744h0m0s`},
		{"x-quota-limit", "5", `other "quota" q=5`},
		{"x-quota-remaining", "5", `other "quota" r=5`},
		{"x-concurrency-limit", "5", `other "concurrency" unit=concurrent-requests q=5`},

		{"x-rate-limit-time-reset-ms", "5", `other "requests" after=5ms`},
		{"x-rate-limit-time-window-ms", "5", `other "requests" w=5ms`},
		{"x-ratelimit-allowed", "5", "X-RateLimit q=5"},
		{"x-ratelimit-remain", "5", "X-RateLimit r=5"},
		{"x-ratelimit-expiry", "5", "X-RateLimit t=5s?"},
		{"x-ratelimit-period-in-sec", "5", "X-RateLimit w=5s?"},
		{"x-ratelimit-perday-limit", "5", `other "perday" q=5 w=24h0m0s`},

		{"x-amzn-ratelimit-limit", "5", `other "" q=5 w=1s`},
		{"requestlimit-default-retryafter", "5", `other "default" after=5ms`},
		{"requestlimit-write-retryafter", "5", `other "write" after=5ms`},
		{"x-ratelimit-endpoint-name", "5", `other "endpoint-requests" name=5`},

		{"ratelimit-reset-ms", "5", "RateLimit after=5ms"},
		{"anthropic-ratelimit-input-tokens-limit", "5", `other "input-tokens" unit=input-tokens q=5`},
		{"x-ms-ratelimit-remaining-subscription-reads", "5", `other "subscription-reads" r=5`},
		{"x-sib-ratelimit-reset", "5", `other "" t=5s?`},
		{"x-readratelimit-usage", "5", `other "read" used=5`},
		{"akamai-sync-ratelimit-limit", "5", `other "sync" q=5`},
		{"ratelimitbysize-remaining", "5", `other "bysize" unit=tokens r=5`},
	}
}

func TestVendorNames(t *testing.T) {
	for _, c := range vendorNames() {
		t.Run(c.name, func(t *testing.T) { requireName(t, c) })
	}
}
