package main

import (
	"bufio"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/cmd/headway/internal/proxy"
)

func TestParseProxy(t *testing.T) {
	c, err := new(proxyOptions).parse([]string{
		"-to", "https://api.example.com", "-listen", ":80", "-admin-listen", ":81", "-drain", "2s", "-max-per-client", "3", "-log-level", "warn", "-tls-cert", "c", "-tls-key", "k", "-max-wait", "2s", "-max-retries", "-1", "-pacing", "measured",
		"-partition-header", "X-Tenant", "-resend-body", "10", "-max-connections", "20", "-grace", "1m",
		"-fleet", "redis://store", "-fleet-key", "key", "-snapshot", "file",
		"-hosts", "a, b", "-token-file", "token",
	})
	require.NoError(t, err)
	require.Equal(t, proxy.Config{
		Listen: ":80", Fleet: proxy.Fleet{URL: "redis://store", KeyFile: "key"}, Snapshot: "file", Hosts: []string{"a", "b"}, TokenFile: "token",
		MaxConnections: 20, ResendBody: 10, Grace: time.Minute, Drain: 2 * time.Second, AdminListen: ":81", MaxPerClient: 3, LogLevel: "warn",
		TLS: proxy.TLS{CertFile: "c", KeyFile: "k"},
		Upstreams: []proxy.Upstream{{
			To: "https://api.example.com", MaxWait: 2 * time.Second, MaxRetries: -1, Pacing: "measured", PartitionHeader: "X-Tenant",
		}},
	}, c)
	require.NoError(t, c.Check())
}

func TestParseProxyOfAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "headway.yaml")
	require.NoError(t, os.WriteFile(file, []byte("listen: 127.0.0.1:1\nupstreams: [{to: 'https://a'}]"), 0o600))
	c, err := new(proxyOptions).parse([]string{"-config", file})
	require.NoError(t, err)
	require.Equal(t, "127.0.0.1:1", c.Listen)
	c, err = new(proxyOptions).parse([]string{"-config", file, "-listen", "127.0.0.1:2"})
	require.NoError(t, err)
	require.Equal(t, "127.0.0.1:2", c.Listen)
	require.Equal(t, "https://a", c.Upstreams[0].To)
}

func TestProxyMistakes(t *testing.T) {
	file := filepath.Join(t.TempDir(), "headway.yaml")
	require.NoError(t, os.WriteFile(file, []byte("upstreams: [{from: 'https://a'}]"), 0o600))
	for _, row := range []struct {
		name string
		args []string
		want string
	}{
		{"nothing", nil, "-to or -config is needed"},
		{"URL without flag", []string{"https://a"}, "the URL goes behind -to"},
		{"password", []string{"-to", "https://a:hunter2@b"}, "must not have a user"},
		{"file and flag", []string{"-config", file, "-grace", "1s"}, "-grace does not go with -config"},
		{"missing file", []string{"-config", file + "x"}, "no such file"},
		{"wrong file", []string{"-config", file}, `headway.yaml:1: unknown key "from"`},
		{"wrong port", []string{"-to", "https://a", "-listen", "127.0.0.1:99999"}, "listen must be a host and a port up to 65535"},
		{"open to all", []string{"-to", "https://a", "-listen", ":8429"}, "other machines can reach :8429"},
	} {
		t.Run(row.name, func(t *testing.T) {
			out, errs, code := session{args: append([]string{"proxy"}, row.args...)}.run()
			require.Equal(t, exitUsage, code)
			require.Empty(t, out)
			var line struct{ Msg, Reason string }
			require.NoError(t, json.Unmarshal([]byte(errs), &line), "it is one line of JSON: "+errs)
			require.Equal(t, "failed", line.Msg)
			require.Contains(t, line.Reason, row.want)
			require.NotContains(t, errs, "hunter2")
		})
	}
	_, errs, code := session{args: []string{"proxy", "-to", "https://a", "-listen", "256.0.0.1:1", "-insecure"}}.run()
	require.Equal(t, exitFailed, code)
	require.Contains(t, errs, `"msg":"failed"`)
	require.Contains(t, errs, "256.0.0.1")
}

// -check says whether a file can be used, and listens nowhere. The file of the settings and each file that it names is read.
func TestCheck(t *testing.T) {
	file := filepath.Join(t.TempDir(), "headway.yaml")
	for _, row := range []struct{ name, text, out, errs string }{
		{"good", "upstreams: [{to: 'https://a'}]", "the configuration can be used\n", ""},
		{"wrong", "upstreams:\n- to: https://a\n  path: a", "", file + ":3: path must be such as /github, without a slash at its end\n"},
		{"no token file", "upstreams: [{to: 'https://a'}]\ntoken-file: " + file + ".x", "", "the token: open " + file + ".x: no such file or directory\n"},
		{"no certificate", "upstreams: [{to: 'https://a'}]\ntls: {cert-file: " + file + ", key-file: " + file + "}", "", "the certificate: tls: failed to find any PEM data in certificate input\n"},
	} {
		t.Run(row.name, func(t *testing.T) {
			require.NoError(t, os.WriteFile(file, []byte(row.text), 0o600))
			out, errs, code := session{args: []string{"proxy", "-check", file}}.run()
			require.Equal(t, row.out, out)
			require.Equal(t, row.errs, errs)
			require.Equal(t, row.out == "", code == exitUsage)
		})
	}
}

// A port in use ends the start with a line that says so. Then a service manager starts the proxy again.
func TestPortInUse(t *testing.T) {
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { require.NoError(t, l.Close()) }()
	out, errs, code := session{args: []string{"proxy", "-to", "https://a", "-listen", l.Addr().String()}}.run()
	require.Equal(t, exitFailed, code)
	require.Empty(t, out)
	require.Contains(t, errs, `"msg":"failed"`)
	require.Contains(t, errs, "address already in use")
}

// TestMain runs the program instead of the tests in the process that TestSignals starts.
func TestMain(m *testing.M) {
	if os.Getenv("HEADWAY_TEST_PROGRAM") != "" {
		main()
	}
	os.Exit(m.Run())
}

// SIGTERM and SIGINT end the proxy in order: the request in flight is finished.
func TestSignals(t *testing.T) {
	for _, signal := range []os.Signal{syscall.SIGTERM, os.Interrupt} {
		t.Run(signal.String(), func(t *testing.T) {
			arrived, release := make(chan struct{}), make(chan struct{})
			upstream := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
				close(arrived)
				<-release
			}))
			defer upstream.Close()
			command := exec.CommandContext(t.Context(), os.Args[0], "proxy", "-to", upstream.URL, "-listen", "127.0.0.1:0") //nolint:gosec // this program
			command.Env = append(os.Environ(), "HEADWAY_TEST_PROGRAM=1")
			stderr, err := command.StderrPipe()
			require.NoError(t, err)
			require.NoError(t, command.Start())
			lines := bufio.NewScanner(stderr)
			next := func() (line struct{ Msg, Listen string }) {
				require.True(t, lines.Scan())
				require.NoError(t, json.Unmarshal(lines.Bytes(), &line), lines.Text())
				return line
			}
			start := next()
			require.Equal(t, "start", start.Msg)
			status := make(chan int, 1)
			go func() {
				resp, err := http.Get("http://" + start.Listen) //nolint:noctx // the test ends it
				if err != nil {
					t.Error(err)
					status <- 0
					return
				}
				_ = resp.Body.Close()
				status <- resp.StatusCode
			}()
			<-arrived
			require.NoError(t, command.Process.Signal(signal))
			require.Equal(t, "stop", next().Msg)
			close(release)
			require.Equal(t, http.StatusOK, <-status)
			require.Equal(t, "stopped", next().Msg)
			require.False(t, lines.Scan())
			require.NoError(t, command.Wait())
		})
	}
}
