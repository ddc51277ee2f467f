package validate_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/validate"
)

// TestNamedRetryAfter checks that Retry-After-<name> sets the wait of a refused request and the names of
// the policies that cause it.
func TestNamedRetryAfter(t *testing.T) {
	for _, c := range []struct {
		name     string
		status   int
		header   []string
		wait     time.Duration
		violated []string
		refused  bool
	}{
		{"one", 429, []string{"Retry-After-short: 2"}, 2 * s, []string{"short"}, true},
		{"the longest counts", 429, []string{"Retry-After-short: 2", "Retry-After-long: 42", "Retry-After-mid: 10"}, 42 * s, []string{"long", "mid", "short"}, true},
		{"0 is a wait", 429, []string{"Retry-After-short: 0"}, 0, []string{"short"}, true},
		{"a date", 429, []string{date, "Retry-After-short: Wed, 04 Mar 2026 12:00:30 GMT"}, 30 * s, []string{"short"}, true},
		{"the same said for all", 429, []string{"Retry-After: 2", "Retry-After-short: 2"}, 2 * s, []string{"short"}, true},
		{"less said for all", 429, []string{"Retry-After: 1", "Retry-After-short: 2"}, 2 * s, []string{"short"}, true},
		{"more said for all, because of another", 429, []string{"Retry-After: 60", "Retry-After-short: 2"}, 60 * s, nil, true},
		{"malformed", 429, []string{"Retry-After-short: soon", "Retry-After-long: 42"}, 42 * s, []string{"long"}, true},
		{"nothing but malformed", 429, []string{"Retry-After-short: soon"}, unknown, nil, true},
		{"a 503 with one is a refusal", 503, []string{"Retry-After-short: 2"}, 2 * s, []string{"short"}, true},
		{"so is a 403", 403, []string{"Retry-After-short: 2"}, 2 * s, []string{"short"}, true},
		{"0 proves nothing there", 403, []string{"Retry-After-short: 0"}, 0, []string{"short"}, false},
		{"a success", 200, []string{"Retry-After-short: 2"}, unknown, nil, false},
		{"a redirect", 302, []string{"Retry-After-short: 2"}, unknown, nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := msg(c.status, c.header...).read(received, validate.Bounds{})
			require.Equal(t, c.wait, got.RetryAfter)
			require.Equal(t, c.violated, got.Violated)
			require.Equal(t, c.refused, got.Throttled)
			require.Empty(t, got.Limits)
		})
	}
}

// TestNamedRetryAfterIsBounded checks that this wait is clamped too.
func TestNamedRetryAfterIsBounded(t *testing.T) {
	got := msg(429, "Retry-After-short: 2", "Retry-After-long: 99999999").read(received, validate.Bounds{MaxReset: time.Hour})
	require.Equal(t, time.Hour, got.RetryAfter)
	require.Equal(t, []string{"long", "short"}, got.Violated)
	require.Equal(t, []string{"Retry-After-Long: longer than MaxReset, clamped"}, problems(got))
}
