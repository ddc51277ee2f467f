package interop_test

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/headway-go/headway/validate"
)

// nginxes are set-ups of nginx's limit_req, a leaky bucket that counts in thousandths of a request, and of
// limit_conn. There are set-ups with status 429, the usual setting, and with 503, the default.
func nginxes() []server {
	var all []server
	for _, limit := range []string{"limit_req zone=one", "limit_req zone=one burst=10", "limit_req zone=one burst=10 nodelay", "limit_conn one 2"} {
		directive, _, _ := strings.Cut(limit, " ")
		all = append(all,
			onNginx(directive, limit, limit, http.StatusServiceUnavailable),
			onNginx(directive, limit, limit+"; "+directive+"_status 429", http.StatusTooManyRequests),
		)
	}
	return all
}

// onNginx returns nginx with these directives. directive and limit name the one that limits.
func onNginx(directive, limit, directives string, refusesWith int) server {
	s := server{
		name: fmt.Sprintf("nginx, %s, %d", strings.NewReplacer(" zone=one", "", " one", "").Replace(limit), refusesWith),
		from: "nginx", wrong: "It reports nothing, not even when to come back",
	}
	zone := "limit_req_zone $binary_remote_addr zone=one:1m rate=20r/s"
	s.quota, s.window, s.windows = 20, time.Second, 3
	if directive == "limit_conn" {
		zone = "limit_conn_zone $binary_remote_addr zone=one:1m"
		s.quota, s.window, s.windows, s.service = 2, 0, 60, 50*time.Millisecond
	}
	if refusesWith != http.StatusTooManyRequests {
		s.profiles = []validate.Profile{{Host: "127.0.0.1", Statuses: []int{refusesWith}}}
	}
	s.setUp = "`" + zone + "; " + directives + "`"
	s.program = nginx(zone+";", directives+";")
	return s
}

// nginx returns nginx as a program that runs as the test's user. zone goes into the http block, and limit
// into the location.
func nginx(zone, limit string) *program {
	return &program{
		name: "nginx",
		config: func(s site) string {
			return fmt.Sprintf(`daemon off;
master_process off;
pid %[1]s/pid;
error_log stderr crit;
events { worker_connections 512; }
http {
	access_log off;
	client_body_temp_path %[1]s/body;
	proxy_temp_path %[1]s/proxy;
	fastcgi_temp_path %[1]s/fastcgi;
	uwsgi_temp_path %[1]s/uwsgi;
	scgi_temp_path %[1]s/scgi;
	%[4]s
	upstream api { server %[3]s; keepalive 32; }
	server {
		listen %[2]s;
		location / {
			%[5]s
			proxy_pass http://api;
			proxy_http_version 1.1;
			proxy_set_header Connection "";
		}
	}
}
`, s.folder, s.listen, s.upstream, zone, limit)
		},
		arguments: func(file string) []string { return []string{"-e", "stderr", "-c", file} },
	}
}
