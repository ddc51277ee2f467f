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
		{label: "user", unit: limits.Requests},
		{label: "endpoint-requests", unit: limits.Requests},
		{label: "tokens", unit: "tokens"},
		{label: "project-tokens", unit: "tokens"},
		{label: "tokens_usage_based", unit: "tokens"},
		{label: "input-tokens", unit: "input-tokens"},
		{label: "tokens-output", unit: "output-tokens"},
		{label: "complexity", unit: "complexity"},
		{label: "bytes", unit: "bytes"},

		{label: "second", unit: limits.Requests, window: time.Second},
		{label: "minute", unit: limits.Requests, window: time.Minute},
		{label: "hour", unit: limits.Requests, window: hour},
		{label: "day", unit: limits.Requests, window: day},
		{label: "week", unit: limits.Requests, window: 7 * day},
		{label: "month", unit: limits.Requests, window: 31 * day},
		{label: "year", unit: limits.Requests, window: 366 * day},
		{label: "hourly", unit: limits.Requests, window: hour},
		{label: "daily", unit: limits.Requests, window: day},

		{label: "req-minute", unit: limits.Requests, window: time.Minute},
		{label: "minute-tokens", unit: "tokens", window: time.Minute},
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
		"0s", "minute-hour", "minute-minute", "hourly-day", "requests-second-tokens-day",
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
