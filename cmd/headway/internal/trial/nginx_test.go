package trial_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// startNginx starts nginx as a proxy that does nothing else, in front of a server, and returns its URL.
func startNginx(t *testing.T, upstream string) (url string) {
	t.Helper()
	folder, listen := t.TempDir(), freePort(t)
	file := filepath.Join(folder, "nginx.conf")
	config := nginxConfig(folder, listen, strings.TrimPrefix(upstream, "http://"))
	require.NoError(t, os.WriteFile(file, []byte(config), 0o600))
	cmd := exec.Command(find("nginx"), "-e", "stderr", "-c", file) //nolint:noctx // begin ends it
	begin(t, cmd, func(line string) string {
		if strings.Contains(line, "start worker process ") { // it listens before
			return listen
		}
		return ""
	})
	return "http://" + listen
}

// nginxConfig is for two workers, as the machine has two processors. Connections last for as many requests as they like.
func nginxConfig(folder, listen, upstream string) string {
	return fmt.Sprintf(`daemon off;
worker_processes 2;
pid %[1]s/pid;
error_log stderr notice;
events { worker_connections 512; }
http {
	access_log off;
	client_body_temp_path %[1]s/body;
	proxy_temp_path %[1]s/proxy;
	fastcgi_temp_path %[1]s/fastcgi;
	uwsgi_temp_path %[1]s/uwsgi;
	scgi_temp_path %[1]s/scgi;
	keepalive_requests 1000000;
	upstream api { server %[3]s; keepalive 64; keepalive_requests 1000000; }
	server {
		listen %[2]s;
		location / {
			proxy_pass http://api;
			proxy_http_version 1.1;
			proxy_set_header Connection "";
		}
	}
}
`, folder, listen, upstream)
}
