package parse_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/parse"
)

func TestMeasure(t *testing.T) {
	const (
		hour = time.Hour
		day  = 24 * hour
	)
	for _, c := range []struct {
		label  string
		unit   limits.Unit
		window time.Duration // 0: unknown
	}{
		{label: "requests", unit: limits.Requests},
		{label: "req", unit: limits.Requests},
		{label: "calls", unit: limits.Requests},
		{label: "user", unit: limits.Requests},
		{label: "api-key", unit: limits.Requests},
		{label: "endpoint-requests", unit: limits.Requests},
		{label: "tokens", unit: "tokens"},
		{label: "project-tokens", unit: "tokens"},
		{label: "tokens_usage_based", unit: "tokens"},
		{label: "input-tokens", unit: "input-tokens"},
		{label: "output-tokens", unit: "output-tokens"},
		{label: "tokens-output", unit: "output-tokens"},
		{label: "complexity", unit: "complexity"},
		{label: "points", unit: "points"},
		{label: "credits", unit: "credits"},
		{label: "bytes", unit: "bytes"},
		{label: "characters", unit: "characters"},

		{label: "second", unit: limits.Requests, window: time.Second},
		{label: "minute", unit: limits.Requests, window: time.Minute},
		{label: "hour", unit: limits.Requests, window: hour},
		{label: "day", unit: limits.Requests, window: day},
		{label: "week", unit: limits.Requests, window: 7 * day},
		{label: "month", unit: limits.Requests, window: 31 * day},
		{label: "year", unit: limits.Requests, window: 366 * day},
		{label: "secondly", unit: limits.Requests, window: time.Second},
		{label: "minutely", unit: limits.Requests, window: time.Minute},
		{label: "hourly", unit: limits.Requests, window: hour},
		{label: "daily", unit: limits.Requests, window: day},
		{label: "weekly", unit: limits.Requests, window: 7 * day},
		{label: "monthly", unit: limits.Requests, window: 31 * day},
		{label: "yearly", unit: limits.Requests, window: 366 * day},

		{label: "req-minute", unit: limits.Requests, window: time.Minute},
		{label: "tokens-minute", unit: "tokens", window: time.Minute},
		{label: "minute-tokens", unit: "tokens", window: time.Minute},
		{label: "per-day", unit: limits.Requests, window: day},
		{label: "per_user_per_day", unit: limits.Requests, window: day},
		{label: "output-tokens-per-minute", unit: "output-tokens", window: time.Minute},

		{label: "shop-api-call", unit: limits.Requests, window: 20 * time.Second},
		{label: "discogs", unit: limits.Requests, window: time.Minute},
		{label: "bysize", unit: "tokens"},
		{label: "concurrency", unit: limits.ConcurrentRequests},
	} {
		t.Run(c.label, func(t *testing.T) {
			f := parse.Header(http.Header{"X-Ratelimit-Remaining-" + c.label: {"5"}})
			require.Len(t, named(&f), 1)
			n := named(&f)[0]
			if c.window == 0 {
				c.window = unknown
			}
			require.Equal(t, c.label, n.Label)
			require.Equal(t, c.unit, n.Unit)
			require.Equal(t, c.window, n.Window)
			require.Equal(t, int64(unknown), n.Limit)
		})
	}
}

// TestNoMeasure checks that a field is ignored if its label has an unknown word or a second window.
func TestNoMeasure(t *testing.T) {
	for _, label := range []string{
		"widgets", "tokens-widgets", "widgets-tokens", "per-widget", "token s", "ip6",
		"minute-hour", "minute-minute", "hourly-day", "requests-second-tokens-day",
		"-", "_", "--", " ",
		"inputs", "input.tokens", "tokens.", "in\u212aput", "min", "sec", "quarter", "fortnight", "tokens/minute", "tokens:minute",
	} {
		t.Run(label, func(t *testing.T) {
			for _, name := range []string{"X-Ratelimit-Remaining-" + label, "X-Ratelimit-" + label + "-Remaining", "Anthropic-Ratelimit-" + label + "-Limit"} {
				require.Zero(t, parse.Header(http.Header{name: {"5"}}), name)
			}
		})
	}
}

// TestMeasureOfPolicies checks that the policies of a limit have the unit of the limit.
func TestMeasureOfPolicies(t *testing.T) {
	f := parse.Header(headerOf("X-RateLimit-Limit-Tokens: 100, 100;w=60, 1000;w=3600"))
	require.Len(t, named(&f), 1)
	require.Equal(t, []policy{
		{Quota: 100, Window: 60, Unit: "tokens"},
		{Quota: 1000, Window: 3600, Unit: "tokens"},
	}, countsOf(&f, &named(&f)[0]).Policies)
}

// TestMeasureAndWindow checks that a field for the window takes precedence over the window in the label.
func TestMeasureAndWindow(t *testing.T) {
	testFields(t, []fieldsRow{
		{
			"a period",
			[]string{"X-RateLimit-Remaining-Minute: 5", "X-RateLimit-Period-Minute: 30"},
			[]string{`other "minute" r=5 w=30s`},
		},
		{
			"a limit that is a window",
			[]string{"X-RateLimit-Limit-Day: 12h", "X-RateLimit-Remaining-Day: 5"},
			[]string{`other "day" r=5 w=12h0m0s`},
		},
		{
			"a malformed period",
			[]string{"X-RateLimit-Remaining-Minute: 5", "X-RateLimit-Period-Minute: soon"},
			[]string{`other "minute" r=5 w=1m0s`, "problem X-RateLimit-Period-Minute at 0: not a time"},
		},
		{
			"a period of 0",
			[]string{"X-RateLimit-Remaining-Minute: 5", "X-RateLimit-Period-Minute: 0"},
			[]string{`other "minute" r=5 w=1m0s`, "problem X-RateLimit-Period-Minute at 0: number out of range"},
		},
		{
			"nothing but a malformed number",
			[]string{"X-RateLimit-Remaining-Minute: many"},
			[]string{"problem X-RateLimit-Remaining-Minute at 0: not a number"},
		},
		{
			"one label in two families",
			[]string{"RateLimit-Remaining-Tokens: 1", "X-RateLimit-Tokens-Remaining: 2", "X-Rate-Limit-Remaining-Tokens: 3", "Anthropic-RateLimit-Tokens-Remaining: 4"},
			[]string{`other "tokens" unit=tokens r=1`, `other "tokens" unit=tokens r=2`, `other "tokens" unit=tokens r=3`, `other "tokens" unit=tokens r=4`},
		},
		{
			"sorted by label",
			[]string{"X-RateLimit-Remaining-Second: 1", "X-RateLimit-Remaining-Day: 2", "X-RateLimit-Remaining-Minute: 3"},
			[]string{`other "day" r=2 w=24h0m0s`, `other "minute" r=3 w=1m0s`, `other "second" r=1 w=1s`},
		},
	})
}

func TestWindows(t *testing.T) {
	testFields(t, []fieldsRow{
		{"seconds", []string{"X-RateLimit-Period: 3600"}, []string{"X-RateLimit w=1h0m0s"}},
		{"a duration", []string{"X-Rate-Limit-Interval: 1s"}, []string{"X-Rate-Limit w=1s"}},
		{"days", []string{"X-RateLimit-Window-Size: 7d"}, []string{"X-RateLimit w=168h0m0s"}},
		{"a fraction", []string{"X-RateLimit-Duration: 0.5"}, []string{"X-RateLimit w=500ms"}},
		{"milliseconds", []string{"X-HubSpot-RateLimit-Interval-Milliseconds: 10000"}, []string{`other "" w=10s`}},
		{"Trello's", []string{"x-rate-limit-api-token-interval-ms: 10000", "x-rate-limit-api-token-max: 100"}, []string{`other "api-token" q=100 w=10s`}},
		{"saturated", []string{"X-RateLimit-Period-Ms: 99999999999999999999"}, []string{"X-RateLimit w=2562047h47m16.854775807s"}},
		{"a point in time", []string{"X-RateLimit-Period: 1772625600"}, []string{"problem X-RateLimit-Period at 0: number out of range"}},
		{"a day in milliseconds", []string{"X-RateLimit-Period: 86400000"}, []string{"X-RateLimit w=24h0m0s"}},
		{"the smallest", []string{"X-RateLimit-Period: 0.0000000001"}, []string{"X-RateLimit w=1ns"}},
		{"a zero", []string{"X-RateLimit-Period: 0"}, []string{"problem X-RateLimit-Period at 0: number out of range"}},
		{"negative", []string{"X-RateLimit-Period: -60"}, []string{"problem X-RateLimit-Period at 0: number out of range"}},
		{"negative milliseconds", []string{"X-RateLimit-Interval-Ms: -60"}, []string{"problem X-RateLimit-Interval-Ms at 0: number out of range"}},
		{"two lines", []string{"X-RateLimit-Period: 60", "X-RateLimit-Period: 90"}, []string{"X-RateLimit w=1m30s", "problem X-RateLimit-Period at 4: values contradict each other"}},
		{"a name", []string{"X-RateLimit-Period: Minute"}, []string{"X-RateLimit w=1m0s"}},
		{"a word", []string{"X-RateLimit-Period: often"}, []string{"problem X-RateLimit-Period at 0: not a time"}},
		{"empty", []string{"X-RateLimit-Period:"}, []string{"problem X-RateLimit-Period at -1: required value is missing"}},
	})
}
