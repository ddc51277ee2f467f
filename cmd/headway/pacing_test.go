package main

import (
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

// How headway would pace requests after a response, in words.
func TestPacing(t *testing.T) {
	const free = "pacing    no limit is known: requests are not delayed after the first responses"
	const held = "hold      nothing is sent for "
	for _, row := range []struct {
		name   string
		status int
		fields string
		want   string // a part of the report
	}{
		{
			"plenty", 200, "RateLimit: \"a\";r=100;t=100\nRateLimit-Policy: \"a\";q=100;w=100",
			"pacing    one request every 1s (1 per second); 1000 requests would take 16m39s\n",
		},
		{
			"requests in flight", 200, "RateLimit-Policy: \"a\";q=3;qu=\"concurrent-requests\"",
			"pacing    no rate is reported: headway learns the pace from later responses",
		},
		{
			"used up", 200, "RateLimit: \"a\";r=0;t=30\nRateLimit-Policy: \"a\";q=1;w=60",
			held + "30s, until 2000-01-01 00:00:30 UTC, because of \"a\"\nthen      one request every 59s (1.02 per minute)",
		}, // nobody has seen the end
		{
			"refused until a date", 429, "Date: Wed, 04 Mar 2026 12:00:00 GMT\nRetry-After: Wed, 04 Mar 2026 12:01:00 GMT",
			held + "1m, until 2026-03-04 12:01:00 UTC\n",
		},
		{
			"refused because of a policy", 429, "Content-Type: application/problem+json\nRetry-After: 24\nRateLimit: \"a\";r=5;t=1\nRateLimit-Policy: \"a\";q=10;w=10" +
				"\n\n{\"violated-policies\": [\"a\"]}",
			held + "24s, until 2000-01-01 00:00:24 UTC, because of \"a\"\nthen      one request every 500ms (2 per second)",
		},
		{
			"refused for less than the pace of another policy", 429, "Retry-After: 1\nRateLimit: \"a\";r=0;t=30, \"b\";r=5;t=3600\nRateLimit-Policy: \"a\";q=10;w=60, \"b\";q=100;w=3600",
			held + "3m, until 2000-01-01 00:03:00 UTC, because of \"b\"",
		},
		{"a missing page", 404, "", free},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				out, _, _ := inspect(fmt.Sprintf("HTTP/1.1 %d X\n%s\n\n", row.status, row.fields))
				require.Contains(t, out, row.want)
			})
		})
	}
}
