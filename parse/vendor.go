package parse

import "bytes"

// withoutLimit finds the names that do not contain "limit": the waits of Azure, OpenAI and Traefik, and
// the limits of Cohere and Gravitee.
func withoutLimit(name []byte) key {
	switch string(name) {
	case "retry-after-ms", "x-ms-retry-after-ms":
		return key{family: retryAfterFine}
	case "x-retry-in":
		return key{family: retryAfterFine, part: partWindow}
	case "x-retry-after", "x-throttle-wait-second", "x-throttle-wait-seconds":
		return key{family: retryAfterAlias}
	case "x-trial-endpoint-call-remaining":
		return key{vendor, partRemaining, "trial-endpoint-call"}
	case "x-endpoint-monthly-call-remaining":
		return key{vendor, partRemaining, "endpoint-monthly-call"}
	case "x-quota-remaining":
		return key{vendor, partRemaining, "quota"}
	case "x-quota-reset":
		return key{vendor, partReset, "quota"}
	}
	return key{}
}

// vendors finds the names that vendors chose for themselves and that follow no rule.
func vendors(name []byte) key {
	switch string(name) {
	// Waits.
	case "x-ratelimit-retry-after", "x-ratelimit-retryafter", "x-ratelimit-retry-after-seconds",
		"x-rate-limit-retry-after", "x-rate-limit-retry-after-seconds":
		return key{family: retryAfterAlias}
	case "x-sentry-rate-limits":
		return key{family: retryAfterAlias, part: partCategories}

	// Names without a part: Composio, Zendesk, Discogs, HubSpot, Shopify.
	case "x-ratelimit":
		return key{family: xRateLimit, part: partLimit}
	case "x-rate-limit":
		return key{family: xDashed, part: partLimit}
	case "x-discogs-ratelimit":
		return key{vendor, partLimit, "discogs"}
	case "x-hubspot-ratelimit-daily":
		return key{vendor, partLimit, "daily"}
	case "x-hubspot-ratelimit-secondly":
		return key{vendor, partLimit, "secondly"}
	case "x-shopify-shop-api-call-limit":
		return key{vendor, partLimit, "shop-api-call"}

	// Names without a hyphen between label and part: Imgur, Xero.
	case "x-ratelimit-userlimit":
		return key{xRateLimit, partLimit, "user"}
	case "x-ratelimit-userremaining":
		return key{xRateLimit, partRemaining, "user"}
	case "x-ratelimit-userreset":
		return key{xRateLimit, partReset, "user"}
	case "x-ratelimit-clientlimit":
		return key{xRateLimit, partLimit, "client"}
	case "x-ratelimit-clientremaining":
		return key{xRateLimit, partRemaining, "client"}
	case "x-daylimit-remaining":
		return key{vendor, partRemaining, "day"}
	case "x-minlimit-remaining":
		return key{vendor, partRemaining, "minute"}
	case "x-appminlimit-remaining":
		return key{vendor, partRemaining, "app-minute"}

	// Names without "ratelimit": Cohere, Gravitee, Crossref.
	case "x-trial-endpoint-call-limit":
		return key{vendor, partLimit, "trial-endpoint-call"}
	case "x-endpoint-monthly-call-limit":
		return key{vendor, partLimit, "endpoint-monthly-call"}
	case "x-quota-limit":
		return key{vendor, partLimit, "quota"}
	case "x-concurrency-limit":
		return key{vendor, partLimit, "concurrency"}

	// Parts with a meaning of their own: Amazon's Selling Partner API, Oracle, Linear.
	case "x-amzn-ratelimit-limit":
		return key{family: vendor, part: partRate}
	case "requestlimit-default-retryafter":
		return key{vendor, partResetMillis, "default"}
	case "requestlimit-write-retryafter":
		return key{vendor, partResetMillis, "write"}
	case "x-ratelimit-endpoint-name":
		return key{xRateLimit, partName, "endpoint-requests"}

	// Several numbers in one field: Salesforce, Auth0, Path of Exile.
	case "sforce-limit-info":
		return key{family: usages}
	case "auth0-client-quota-limit":
		return key{family: quotas, label: "client"}
	case "auth0-organization-quota-limit":
		return key{family: quotas, label: "organization"}
	case "x-rate-limit-ip":
		return key{family: hits, label: "ip"}
	case "x-rate-limit-ip-state":
		return key{hits, partState, "ip"}
	case "x-rate-limit-account":
		return key{family: hits, label: "account"}
	case "x-rate-limit-account-state":
		return key{hits, partState, "account"}
	case "x-rate-limit-client":
		return key{family: hits, label: "client"}
	case "x-rate-limit-client-state":
		return key{hits, partState, "client"}
	}
	return key{}
}

// prefixed finds the fields of vendors that put a word of their own before the usual parts.
func prefixed(name []byte) key {
	for _, v := range [...]struct{ prefix, label string }{
		{"anthropic-ratelimit-", ""},
		{"x-ms-ratelimit-", ""},
		{"x-sib-ratelimit-", ""},
		{"x-hubspot-ratelimit-", ""},
		{"x-discogs-ratelimit-", "discogs"},
		{"x-readratelimit-", "read"},
		{"akamai-sync-ratelimit-", "sync"},
		{"ratelimitbysize-", "bysize"},
		{"requestlimit-", ""},
	} {
		if suffix, ok := bytes.CutPrefix(name, []byte(v.prefix)); ok {
			k := inFamily(vendor, suffix)
			if k.label == "" {
				k.label = v.label
			}
			return k
		}
	}
	if endpoint, ok := bytes.CutPrefix(name, []byte("zendesk-ratelimit-")); ok && isEndpoint(endpoint) {
		return key{family: quotas, label: string(endpoint)}
	}
	return key{}
}

// isEndpoint reports whether b can be the name of an endpoint. Zendesk's inflight-jobs are not requests.
func isEndpoint(b []byte) bool {
	if string(b) == "inflight-jobs" {
		return false
	}
	for _, c := range b {
		if !isLower(c) && !isDigit(c) && c != '-' && c != '_' {
			return false
		}
	}
	return len(b) > 0
}
