package interop_test

import (
	"fmt"
	"time"
)

// haproxies are HAProxy's stick tables, with the snippet that its documentation and most blogs have: requests that are
// refused count as well.
func haproxies() []server {
	rate := func(name, deny string) server {
		return server{
			name: "HAProxy, " + name, says: "nothing",
			setUp: "`stick-table type ip size 1m expire 10s store http_req_rate(2s)`, `http-request track-sc0 src`, `http-request deny" + deny + " if { sc_http_req_rate(0) gt 40 }`",
			quota: 40, window: 2 * time.Second, windows: 3,
			program: haproxy(deny),
		}
	}
	return []server{
		rate("http_req_rate, 429", " deny_status 429"),
		rate("http_req_rate, 503", " deny_status 503"),
	}
}

// haproxy is one process of it. deny says with which status it refuses.
func haproxy(deny string) *program {
	return &program{
		name: "haproxy",
		config: func(s site) string {
			return fmt.Sprintf(`defaults
	mode http
	timeout client 10s
	timeout server 10s
	timeout connect 1s
frontend public
	bind %[1]s
	stick-table type ip size 1m expire 10s store http_req_rate(2s)
	http-request track-sc0 src
	http-request deny%[3]s if { sc_http_req_rate(0) gt 40 }
	default_backend api
backend api
	server api %[2]s
`, s.listen, s.upstream, deny)
		},
		arguments: func(file string) []string { return []string{"-db", "-f", file} },
	}
}
