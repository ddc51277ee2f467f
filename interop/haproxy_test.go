package interop_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/headway-go/headway/internal/test/kit/child"
)

// haproxies are set-ups of HAProxy's stick tables, with the lines from its documentation and most tutorials.
// They count refused requests as well.
func haproxies() []server {
	return []server{{
		name:  "HAProxy, http_req_rate, 429",
		from:  "haproxy",
		wrong: "It reports nothing, not even when to come back. Refused requests count: a client that keeps asking is never let in again",
		setUp: "`stick-table type ip size 1m expire 10s store http_req_rate(2s)`, `http-request track-sc0 src`, `http-request deny deny_status 429 if { sc_http_req_rate(0) gt 40 }`",
		quota: 40, window: 2 * time.Second, windows: 3,
		program: &program{name: "haproxy", start: startHAProxy},
	}}
}

func startHAProxy(t *testing.T, upstream string) (url string) {
	t.Helper()
	return child.StartConfigured(t, "haproxy", func(_, listen string) string {
		return fmt.Sprintf(`defaults
	mode http
	timeout client 10s
	timeout server 10s
	timeout connect 1s
frontend public
	bind %[1]s
	stick-table type ip size 1m expire 10s store http_req_rate(2s)
	http-request track-sc0 src
	http-request deny deny_status 429 if { sc_http_req_rate(0) gt 40 }
	default_backend api
backend api
	server api %[2]s
`, listen, strings.TrimPrefix(upstream, "http://"))
	}, "-db", "-f")
}
