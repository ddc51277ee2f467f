package main

import (
	"errors"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
)

// TestIdleClient compares the reported burst with the one of a client that was idle.
func TestIdleClient(t *testing.T) {
	rows := []struct {
		name   string
		idle   time.Duration
		fields []string
	}{
		{"a long window", 20 * time.Minute, []string{`RateLimit: "a";r=3600;t=3600`, `RateLimit-Policy: "a";q=3600;w=3600`}},
		{"one is left", time.Minute, []string{`RateLimit: "a";r=1;t=100`, `RateLimit-Policy: "a";q=1;w=100`}},
		{"and requests in flight", 20 * time.Minute, []string{`RateLimit: "a";r=3600;t=3600`, `RateLimit-Policy: "a";q=3600;w=3600, "b";q=7;qu="concurrent-requests"`}},
	}
	for _, x := range rows {
		t.Run(x.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				exchange := respond(http.StatusOK, x.fields...)
				said := simulate(exchange, time.Now)
				// What remains also bounds the burst, and the simulation uses one unit more.
				require.InDelta(t, idleBurst(t, exchange, x.idle), said.atOnce, 2)
				require.Positive(t, said.atOnce)
			})
		})
	}
}

// idleBurst sends requests at once after an idle time, and returns how many go.
func idleBurst(t *testing.T, x *exchange, idle time.Duration) (n int) {
	t.Helper()
	answered := false
	var send func() error
	transport := &headway.Transport{Jitter: -1, MaxWait: 1, MaxRetries: -1, Base: baseFunc(func(req *http.Request) (*http.Response, error) {
		if !answered {
			answered = true
			return x.response(), nil
		}
		n++
		_ = send()
		return nil, errors.New("not answered")
	})}
	send = func() error {
		_, err := transport.RoundTrip(x.request)
		return err
	}
	require.NoError(t, send())
	time.Sleep(idle)
	require.Error(t, send())
	return n
}

// How headway would pace requests after a response, in words.
func TestPacing(t *testing.T) {
	const free = "pacing    the response reports no limit: requests are not delayed after the first responses"
	const held = "hold      nothing is sent for "
	for _, row := range []struct {
		name   string
		status int
		fields string
		want   string // a part of the report
	}{
		{
			"plenty", 200, "RateLimit: \"a\";r=100;t=100\nRateLimit-Policy: \"a\";q=100;w=100",
			"pacing    one request every 1s (1 per second); up to 10 at once after a pause",
		},
		{
			"as many as are tried", 200, "RateLimit: \"a\";r=1000000;t=3600\nRateLimit-Policy: \"a\";q=1000000;w=3600",
			"pacing    one request every 3.6ms (278 per second); up to 1000 or more at once after a pause",
		},
		{
			"requests in flight", 200, "RateLimit-Policy: \"a\";q=3;qu=\"concurrent-requests\"",
			"pacing    no rate is reported: headway learns the pace from later responses; up to 3 at once after a pause",
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
