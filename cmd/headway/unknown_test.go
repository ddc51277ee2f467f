package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Fields that look like limits are named if headway does not read them.
func TestUnknownFields(t *testing.T) {
	const unknown = "unknown   "
	for _, row := range []struct {
		field     string
		isUnknown bool
	}{
		{"X-Acme-Used-Weight-1m: 28", true},
		{"X-Api-Left: 29", true},
		{"X-Api-Usage: 28%", true},
		{"X-App-Quota: used=12;of=100;per=60s", true},
		{`X-App-Usage: {"calls":28}`, true},
		{"Http_x_call_limit: 39/40", true},
		{"Zendesk-Ratelimit-Search: total=100; remaining=99; resets=41", true},
		{"X-Mbx-Used-Weight-1m: 28", true},

		{"X-Ratelimit-Remaining: 28", false},
		{"X-Ratelimit-Used: 28", false},
		{"X-Memory-Used: 28", false},
		{"X-Api-Left: many", false},
		{"Content-Length: 28", false},
		{"X-Request-Id: 28", false},
	} {
		out, _, _ := inspect("HTTP/1.1 200 OK\n" + row.field + "\n\n")
		name, _, _ := strings.Cut(row.field, ":")
		require.Equal(t, row.isUnknown, strings.Contains(out, unknown+name+": they look like limits"), "%s\n%s", row.field, out)
	}
	out, _, _ := inspect("HTTP/1.1 200 OK\nX-Mbx-Used-Weight-1m: 28\n\n", "-host", "api.binance.com")
	require.NotContains(t, out, unknown, "a profile reads it")
	out, _, _ = inspect("HTTP/1.1 200 OK\n" + strings.Repeat("X-Quota-Left-a: 5\nX-Quota-Left-b: 5\nX-Quota-Left-c: 5\n", 1) +
		"X-Quota-1: 1\nX-Quota-2: 1\nX-Quota-3: 1\nX-Quota-4: 1\nX-Quota-5: 1\nX-Quota-6: 1\n\n")
	require.Equal(t, mostUnknown, strings.Count(out, "X-Quota-"), "the list has an end")
}
