package interop_test

import (
	"fmt"
	"strings"
	"time"
)

// nginxes are nginx's limit_req, a leaky bucket that counts in thousandths of a request, and limit_conn.
func nginxes() []server {
	const zone = "limit_req_zone $binary_remote_addr zone=one:1m rate=20r/s;"
	request := func(name, limit string) server {
		return server{
			name: "nginx, " + name, says: "nothing",
			setUp: "`" + strings.TrimSuffix(zone, ";") + "`, `" + limit + "`",
			quota: 20, window: time.Second, windows: 3,
			program: nginx(zone, strings.ReplaceAll(limit, "`, `", "; ")+";"),
		}
	}
	conn := func(name, limit string) server {
		const zone = "limit_conn_zone $binary_remote_addr zone=one:1m;"
		return server{
			name: "nginx, " + name, says: "nothing",
			setUp: "`" + strings.TrimSuffix(zone, ";") + "`, `" + limit + "`, and each response takes 50 ms",
			quota: 2, service: 50 * time.Millisecond, windows: 60,
			program: nginx(zone, strings.ReplaceAll(limit, "`, `", "; ")+";"),
		}
	}
	const (
		tooMany      = "`, `limit_req_status 429"
		tooManyConns = "`, `limit_conn_status 429"
	)
	return []server{
		request("limit_req, 429", "limit_req zone=one"+tooMany),
		request("limit_req, 503", "limit_req zone=one"),
		request("limit_req burst=10, 429", "limit_req zone=one burst=10"+tooMany),
		request("limit_req burst=10, 503", "limit_req zone=one burst=10"),
		request("limit_req burst=10 nodelay, 429", "limit_req zone=one burst=10 nodelay"+tooMany),
		request("limit_req burst=10 nodelay, 503", "limit_req zone=one burst=10 nodelay"),
		conn("limit_conn, 429", "limit_conn one 2"+tooManyConns),
		conn("limit_conn, 503", "limit_conn one 2"),
	}
}

// nginx is one process of it, as whoever runs the test. zone is of the http block, limit of the location.
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
