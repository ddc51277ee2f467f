package child

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// StartConfigured starts an installed program that reads its configuration from a file, whose name is its last
// argument. config returns the text for a folder of the program's own and for the free address at which it has to
// listen. StartConfigured returns the URL there.
func StartConfigured(t *testing.T, name string, config func(folder, listen string) string, arguments ...string) (url string) {
	t.Helper()
	folder, listen := t.TempDir(), FreeAddress(t)
	file := filepath.Join(folder, name+".conf")
	require.NoError(t, os.WriteFile(file, []byte(config(folder, listen)), 0o600))
	cmd := exec.Command(Find(name), append(arguments, file)...) //nolint:noctx // it ends with the test
	cmd.Dir = folder
	StartAt(t, cmd, listen)
	return "http://" + listen
}

// Nginx is a set-up of nginx as a proxy that runs as the test's user. Its connections last for as many requests as
// they like.
type Nginx struct {
	Workers        int    // processes that serve; 0: the only one
	HTTP, Location string // further directives of these blocks
}

// Start starts nginx in front of the server at a URL, and returns its own.
func (n Nginx) Start(t *testing.T, upstream string) (url string) {
	t.Helper()
	return StartConfigured(t, "nginx", func(folder, listen string) string {
		return n.config(folder, listen, strings.TrimPrefix(upstream, "http://"))
	}, "-e", "stderr", "-c")
}

func (n Nginx) config(folder, listen, upstream string) string {
	processes := "master_process off"
	if n.Workers > 0 {
		processes = fmt.Sprint("worker_processes ", n.Workers)
	}
	return fmt.Sprintf(`daemon off;
%[4]s;
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
	keepalive_requests 1000000;
	%[5]s
	upstream api { server %[3]s; keepalive 64; keepalive_requests 1000000; }
	server {
		listen %[2]s;
		location / {
			%[6]s
			proxy_pass http://api;
			proxy_http_version 1.1;
			proxy_set_header Connection "";
		}
	}
}
`, folder, listen, upstream, processes, n.HTTP, n.Location)
}
