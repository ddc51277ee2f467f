package parse_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/parse"
)

// requireName checks the result for one field, whose name is in lower case and spelled in several ways.
func requireName(t *testing.T, c valueRow) {
	t.Helper()
	for _, name := range spellings(c.name) {
		f := parse.Header(http.Header{name: {c.value}})
		require.Equal(t, c.want, strings.Join(describe(&f), "\n"), name)
	}
}

func spellings(name string) []string {
	alternating := []byte(name)
	for i := 0; i < len(name); i += 2 {
		alternating[i] = strings.ToUpper(name[i : i+1])[0]
	}
	return []string{name, http.CanonicalHeaderKey(name), strings.ToUpper(name), string(alternating)}
}

// partNames has the parts of names with a value, and the description of the value.
func partNames() []valueRow {
	return []valueRow{
		{"limit", "5", " q=5"},
		{"max", "5", " q=5"},
		{"burst-capacity", "5", " q=5"},
		{"remaining", "5", " r=5"},
		{"used", "5", " used=5"},
		{"usage", "5", " used=5"},
		{"observed", "5", " used=5"},
		{"reset", "5", " t=5s?"},
		{"resettime", "5", " t=5s?"},
		{"reset-after", "5", " after=5s"},
		{"resets-after", "5", " after=5s"},
		{"reset-in", "5", " after=5s"},
		{"reset-seconds", "5", " after=5s"},
		{"reset-ms", "5", " after=5ms"},
		{"reset-at", "5", " t=5s?"},
		{"left", "5", " r=5"},
		{"consumed", "5", " used=5"},
		{"period", "5", " w=5s?"},
		{"window", "60", " w=1m0s?"},
		{"window-seconds", "5", " w=5s?"},
		{"window-ms", "5", " w=5ms"},
		{"interval", "1m", " w=1m0s"},
		{"duration", "5", " w=5s?"},
		{"window-size", "600s", " w=10m0s"},
		{"interval-seconds", "5", " w=5s?"},
		{"interval-ms", "5", " w=5ms"},
		{"interval-milliseconds", "5", " w=5ms"},
	}
}

// textNames has the parts of names whose values are texts.
func textNames() []valueRow {
	return []valueRow{
		{"bucket", "a", " name=a"},
		{"resource", "a", " name=a"},
		{"name", "a", " name=a"},
		{"policy", "a", " name=a"},
		{"rule", "a", " name=a"},
	}
}

// families has the prefixes of names, and the beginnings of the lines that describe writes for them.
func families() map[string]string {
	return map[string]string{
		"ratelimit-": "RateLimit", "x-ratelimit-": "X-RateLimit", "x-rate-limit-": "X-Rate-Limit",
		"anthropic-ratelimit-": `other ""`,
	}
}

// TestPlainNames checks that all families have the same parts. RateLimit-Policy is a field of its own.
func TestPlainNames(t *testing.T) {
	for family, line := range families() {
		for _, p := range slices.Concat(partNames(), textNames()) {
			if family+p.name == "ratelimit-policy" {
				continue
			}
			t.Run(family+p.name+" "+p.value, func(t *testing.T) {
				requireName(t, valueRow{family + p.name, p.value, line + p.want})
			})
		}
	}
}

// TestLabelledNames checks that a label may stand before or after a part that is a number, and not with
// other parts.
func TestLabelledNames(t *testing.T) {
	for family := range families() {
		for _, p := range partNames() {
			t.Run(family+p.name, func(t *testing.T) {
				want := `other "input-tokens" unit=input-tokens` + p.want
				requireName(t, valueRow{family + p.name + "-input-tokens", p.value, want})
				requireName(t, valueRow{family + "input-tokens-" + p.name, p.value, want})
			})
		}
		for _, p := range textNames() {
			t.Run(family+p.name+" "+p.value, func(t *testing.T) {
				requireName(t, valueRow{family + p.name + "-tokens", p.value, ""})
				requireName(t, valueRow{family + "tokens-" + p.name, p.value, ""})
			})
		}
	}
}

// TestOtherNames checks that fields that only look like limits are ignored without a problem.
func TestOtherNames(t *testing.T) {
	for _, name := range []string{
		"X-RateLimit-NearLimit", "X_Ratelimit_Remaining", "X-Ratelimit-Remainin", "X-Ratelimit\rRemaining", "", "X-RateLimit-Scope", "X-RateLimit-Global", "RateLimit-Scope", "X-Rate-Limit-Scope",
		"X-Rate-Limit-Request-Remote-Addr", "X-Rate-Limit-Request-Forwarded-For",
		"X-RateLimit-Reset-Epoch", "X-RateLimit-Reset-Date", "X-RateLimit-Reset-Unix", "X-RateLimit-Reset-Hint",
		"X-RateLimit-Limit-Widgets", "X-RateLimit-Widgets-Limit", "X-RateLimit-Tokens-Widgets-Limit", "X-RateLimit-Limit-Widgets-Tokens",
		"X-RateLimit-Burst-Limit", "X-RateLimit-Burst", "X-RateLimit-Limit-Burst",
		"X-RateLimit-Reason", "RateLimit-Reason", "X-RateLimit-Type", "X-RateLimit-Category", "X-RateLimit-Warning",
		"X-RateLimit-Increment", "RateLimitBySize-Query-Cost", "X-RateLimit-Tokens", "X-RateLimit-Minute",
		"X-RateLimit-Limit-", "X-RateLimit--Limit", "X-RateLimit-", "X-RateLimit--", "X-RateLimit-Limit--", "RateLimit-", "X-Rate-Limit-",
		"X-RateLimitLimit", "X-RateLimits-Limit", "XRateLimit-Limit", "X-Rate-Limits", "RateLimits", "Rate-Limit", "Rate-Limit-Remaining", "X-Limit-Remaining",
		"Anthropic-RateLimit-Unified-Status", "Anthropic-RateLimit-Unified-5h-Utilization", "Anthropic-RateLimit-", "Anthropic-RateLimit",
		"X-MS-RateLimit-Remaining-Subscription-Widgets", "X-MS-Throttle-Limit-Percentage", "X-MS-Request-Charge",
		"X-HubSpot-RateLimit", "X-Shopify-Shop-Api-Call", "X-Discogs-RateLimit-Widgets", "X-Sib-RateLimit",
		"X-DayLimit", "X-DayLimit-Limit", "X-RateLimit-UserUsed", "X-RateLimit-ClientReset",
		"X-Amzn-RateLimit-Remaining", "X-Amzn-RateLimit", "RequestLimit", "RequestLimit-", "RequestLimit-RetryAfter",
		"X-Rate-Limit-Rules", "X-Rate-Limit-Ip-States", "X-Rate-Limit-Problem", "X-Quota", "X-Concurrency-Remaining",
		"X-Figma-Rate-Limit-Type", "X-Envoy-RateLimited", "Docker-RateLimit-Source", "Stripe-Rate-Limited-Reason", "X-Rate-Limited",
		"Retry-After-", "Retry", "Retry-Afters", "X-Retry", "Expires", "X-App-Usage",
		"Access-Control-Expose-Headers", "Access-Control-Max-Age", "Content-Range", "Upload-Limit", "Speed-Limit",
		"X-RateLimit-Limit-Tokéns", "X-RateLimit-Limit-Token\u017f", "X-RateLimit-L\u0131mit", "X-RateLimit-Limit\x00", "X-RateLimit-Limit ",
	} {
		t.Run(name, func(t *testing.T) {
			for _, value := range []string{"5", "5/6", "q=5", "5:6:7", "a=5/6", "5, 6"} {
				require.Zero(t, parse.Header(http.Header{http.CanonicalHeaderKey(name): {value}}), value)
				require.Zero(t, parse.Header(http.Header{strings.ToLower(name): {value}}), value)
			}
		})
	}
}

// TestLongestNames checks that names longer than the longest known name are ignored, and that an operator's has 40 bytes.
func TestLongestNames(t *testing.T) {
	name := "x-ratelimit-limit-" + strings.Repeat("per-", 11)
	require.Len(t, name+"ip", 64)
	f := parse.Header(http.Header{name + "ip": {"5"}})
	require.Len(t, named(&f), 1)
	require.Zero(t, parse.Header(http.Header{name + "app": {"5"}}))
	for _, prefix := range []string{"X-Rate-Limit-", "X-RateLimit-", "RateLimit-"} {
		read := func(name string) parse.Fields {
			return parse.Header(http.Header{prefix + "Limit-" + name: {"3"}, prefix + "Remaining-" + name: {"2"}, "Retry-After-" + name: {"1"}})
		}
		name := strings.Repeat("a", 40)
		f := read(name)
		require.Len(t, named(&f), 1)
		require.Equal(t, name, named(&f)[0].Label)
		require.Len(t, f.Waits, 1)
		require.Zero(t, read(name+"a"))
	}
}

// TestSpellings checks that each spelling of a name is a field of its own, whatever the order of the map.
func TestSpellings(t *testing.T) {
	for range 50 { // the order of a map is random
		f := parse.Header(http.Header{"retry-after": {"1"}, "RETRY-AFTER": {"2"}, "Retry-After": {"3"}, "retry-After": {"4"}})
		require.Len(t, f.Waits, 4)
		f = parse.Header(http.Header{"retry-after": {"1"}, "Retry-After": nil})
		require.Equal(t, []string{"retry-after 1s"}, describe(&f), "a name without lines is not there")
		f = parse.Header(http.Header{"X-Ratelimit-Max": {"5"}, "X-Ratelimit-Limit": {"6"}, "x-ratelimit-limit": {"4"}, "x-ratelimit-max": {"3"}})
		require.Equal(t, int64(3), f.Rows[0].Limit, "the smallest limit counts")
	}
	require.Zero(t, parse.Header(nil))
}

// TestManyPrefixes checks that the result for more prefixes than are read does not depend on the order.
func TestManyPrefixes(t *testing.T) {
	h := http.Header{}
	for _, c := range "abcdefghijklmnopqrstuvw" {
		prefix := strings.Repeat(string(c), 3) + "-limit-"
		h[prefix+"remaining"], h[prefix+"limit"] = []string{"1"}, []string{"2"}
	}
	for range 20 {
		f := parse.Header(h)
		require.Len(t, named(&f), 8)
		require.Equal(t, "aaa-limit", named(&f)[0].Label)
		require.Equal(t, "hhh-limit", named(&f)[7].Label)
	}
}
