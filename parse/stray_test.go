package parse_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/parse"
)

// TestAnyPrefix checks that fields under a prefix that is in no table are a limit if they stand together.
func TestAnyPrefix(t *testing.T) {
	testFields(t, []fieldsRow{
		{
			"Contentful",
			[]string{"X-Contentful-RateLimit-Hour-Limit: 36000", "X-Contentful-RateLimit-Hour-Remaining: 35883", "X-Contentful-RateLimit-Second-Limit: 10", "X-Contentful-RateLimit-Second-Remaining: 9"},
			[]string{`other "contentful-ratelimit-hour" q=36000 r=35883 w=1h0m0s`, `other "contentful-ratelimit-second" q=10 r=9 w=1s`},
		},
		{"Limit before the name", []string{"X-Limit-App-Limit: 100", "X-Limit-App-Remaining: 99", "X-Limit-App-Reset: 30"}, []string{`other "limit-app" q=100 r=99 t=30s`}},
		{"a gateway", []string{"gw-ratelimit-limit: 100", "gw-ratelimit-remaining: 99"}, []string{`other "gw-ratelimit" q=100 r=99`}},
		{"Microsoft Graph", []string{"x-ms-user-quota-remaining: 3", "x-ms-user-quota-resets-after: 00:00:27"}, []string{`other "ms-user-quota" r=3 after=27s`}},
		{
			"Sentry",
			[]string{"X-Sentry-Rate-Limit-Limit: 40", "X-Sentry-Rate-Limit-Remaining: 39", "X-Sentry-Rate-Limit-Reset: 1372700873"},
			[]string{`other "sentry-rate-limit" q=40 r=39 t=2013-07-01T17:47:53Z`},
		},
		{"the prefix alone is the quota", []string{"X-Acme-RateLimit: 100", "X-Acme-RateLimit-Remaining: 99"}, []string{`other "acme-ratelimit" q=100 r=99`}},
		{"tokens", []string{"Acme-RateLimit-Tokens-Limit: 100", "Acme-RateLimit-Tokens-Remaining: 99"}, []string{`other "acme-ratelimit-tokens" unit=tokens q=100 r=99`}},
		{"what is used does not matter", []string{"Acme-Quota-Used: 1", "Acme-Quota-Limit: 9", "Acme-Quota-Remaining: 8"}, []string{`other "acme-quota" q=9 r=8 used=1`}},
		{"a malformed part", []string{"Acme-Quota-Reset: soon", "Acme-Quota-Limit: 9", "Acme-Quota-Remaining: 8"}, []string{`other "acme-quota" q=9 r=8`, "problem Acme-Quota-Reset at 0: not a time"}},
		{"several limits", []string{"Acme-RateLimit-Limit: 10, 600", "Acme-RateLimit-Remaining: 9, 599"}, []string{`other "acme-ratelimit 10" q=10 r=9`, `other "acme-ratelimit 600" q=600 r=599`}},

		{"alone", []string{"Gw-Ratelimit-Remaining: 5"}, nil},
		{"of two prefixes", []string{"A-Ratelimit-Remaining: 5", "B-Ratelimit-Limit: 9"}, nil},
		{"without what remains", []string{"Gw-Ratelimit-Limit: 5", "Gw-Ratelimit-Reset: 9"}, nil},
		{"more than the quota", []string{"Gw-Ratelimit-Limit: 5", "Gw-Ratelimit-Remaining: 9"}, nil},
		{"more than the quota, until a reset", []string{"Gw-Ratelimit-Limit: 5", "Gw-Ratelimit-Remaining: 9", "Gw-Ratelimit-Reset: 3"}, nil},
		{"a quota of 0", []string{"Gw-Ratelimit-Limit: 0", "Gw-Ratelimit-Remaining: 0"}, nil},
		{"pages", []string{"X-Page-Limit: 50", "X-Page-Remaining: 3"}, nil},
		{"malformed", []string{"Gw-Ratelimit-Limit: 5", "Gw-Ratelimit-Remaining: few"}, nil},
		{"a known prefix", []string{"X-RateLimit-Time-Limit: 9", "X-RateLimit-Time-Remaining: 5", "X-RateLimit-Time-Reset: 3"}, nil},
		{"money", []string{"Acme-RateLimit-Usd-Limit: 9", "Acme-RateLimit-Usd-Remaining: 5"}, nil},
		{"a fraction", []string{"Acme-RateLimit-Limit: 9", "Acme-RateLimit-Remaining: 5.5"}, nil},
		{"no word before", []string{"Remaining: 5", "Limit: 9", "-Remaining: 5", "-Limit: 9"}, nil},
	})
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

// TestLimitInLabels checks that the word limit beside another part belongs to that part.
func TestLimitInLabels(t *testing.T) {
	testFields(t, []fieldsRow{
		{"one limit", []string{"X-RateLimit-Limit: 9", "X-RateLimit-Limit-Remaining: 5", "X-RateLimit-Limit-Reset: 7", "X-RateLimit-Limit-Used: 4"}, []string{"X-RateLimit q=9 r=5 used=4 t=7s"}},
		{"with a label", []string{"X-RateLimit-Tokens-Limit: 9", "X-RateLimit-Tokens-Limit-Remaining: 5"}, []string{`other "tokens" unit=tokens q=9 r=5`}},
		{"a window of a limit", []string{"X-RateLimit-Limit: 9", "X-RateLimit-Limit-Window: 60"}, []string{"X-RateLimit q=9 w=1m0s"}},
		{"a label that ends in it", []string{"X-RateLimit-Hard-Limit-Limit: 9", "X-RateLimit-Hard-Limit-Remaining: 5"}, []string{`other "hard" q=9 r=5`}},
	})
}

// TestUnitsOfLabels checks the units and windows that the words of labels mean.
func TestUnitsOfLabels(t *testing.T) {
	testFields(t, []fieldsRow{
		{"tokens per minute", []string{"X-RateLimit-Limit-TPM: 9", "X-RateLimit-Remaining-TPM: 5"}, []string{`other "tpm" unit=tokens q=9 r=5 w=1m0s`}},
		{"tokens per day", []string{"X-RateLimit-Remaining-TPD: 5"}, []string{`other "tpd" unit=tokens r=5 w=24h0m0s`}},
		{"requests per minute", []string{"X-RateLimit-Remaining-RPM: 5"}, []string{`other "rpm" r=5 w=1m0s`}},
		{"requests per day", []string{"X-RateLimit-RPD-Remaining: 5"}, []string{`other "rpd" r=5 w=24h0m0s`}},
		{"amounts of money", []string{"X-RateLimit-Limit-Cost: 9", "X-RateLimit-Eur-Remaining: 5", "X-RateLimit-Reset-Cost: 3s", "X-RateLimit-Remaining-Input-Cost: 1"}, nil},
		{"requests in flight", []string{"X-RateLimit-Concurrent-Limit: 9", "X-RateLimit-Limit-Concurrency: 5"}, []string{`other "concurrency" unit=concurrent-requests q=5`, `other "concurrent" unit=concurrent-requests q=9`}},
		{"a unit with fractions", []string{"X-RateLimit-Remaining-Gigabytes: 1.5"}, []string{`other "gigabytes" unit=gigabytes r=1`}},
		{"a name with fractions", []string{"X-RateLimit-Limit-Widgets: 9", "X-RateLimit-Remaining-Widgets: 1.5", "X-RateLimit-Reset-Widgets: 3"}, nil},
		{"a name with a point", []string{"X-RateLimit-Limit-Widgets: 57.0", "X-RateLimit-Remaining-Widgets: 1"}, []string{`other "widgets" q=57 r=1`}},
		{"seconds of audio", []string{"X-RateLimit-Limit-Audio-Seconds: 7200"}, []string{`other "audio-seconds" unit=audio-seconds q=7200`}},
		{"percent left", []string{"X-RateLimit-Remaining-Percent: 85"}, []string{`other "percent" unit=percent q=100 r=85`}},
		{"percent used", []string{"X-RateLimit-Used-Percent: 15"}, []string{`other "percent" unit=percent q=100 used=15`}},
	})
}

// TestRatesAndRatios checks numbers with a slash.
func TestRatesAndRatios(t *testing.T) {
	testFields(t, []fieldsRow{
		{"a rate", []string{"X-RateLimit-Limit: 150/15m", "X-RateLimit-Remaining: 149"}, []string{"X-RateLimit q=150 r=149 w=15m0s"}},
		{"a policy beside it", []string{"X-RateLimit-Limit: 60", "X-RateLimit-Remaining: 5", "X-RateLimit-Policy: 60;w=60"}, []string{"X-RateLimit q=60 r=5 policy=60/60"}},
		{"a rate in words", []string{"X-RateLimit-Limit: 100/minute"}, []string{"X-RateLimit q=100 w=1m0s"}},
		{"a unit of time", []string{"X-RateLimit-Limit: 100 / h"}, []string{"problem X-RateLimit-Limit at 4: unexpected character"}},
		{"short units", []string{"X-RateLimit-Limit: 100/min"}, []string{"X-RateLimit q=100 w=1m0s"}},
		{"one per second", []string{"X-RateLimit-Limit: 10/s"}, []string{"X-RateLimit q=10 w=1s"}},
		{"used of the quota", []string{"X-RateLimit-Limit: 32/40"}, []string{"X-RateLimit q=40 used=32"}},
		{"left of the quota", []string{"X-RateLimit-Remaining: 59/60"}, []string{"X-RateLimit q=60 r=59"}},
		{"more left than the quota", []string{"X-RateLimit-Remaining: 61/60"}, []string{"problem X-RateLimit-Remaining at 2: unexpected character"}},
		{"an unknown word", []string{"X-RateLimit-Limit: 100/fortnight", "X-RateLimit-Used: 4"}, []string{"X-RateLimit used=4", "problem X-RateLimit-Limit at 3: unexpected character"}},
	})
}
