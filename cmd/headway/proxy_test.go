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
		"-to", "https://api.example.com", "-listen", ":80", "-admin-listen", ":81", "-log-level", "warn", "-insecure", "-max-wait", "2s", "-max-retries", "-1", "-pacing", "measured",
		"-partition-header", "X-Tenant", "-resend-body", "10", "-max-connections", "20", "-grace", "1m",
		"-fleet", "redis://store", "-fleet-key", "key", "-snapshot", "file",
		"-hosts", "a, b", "-token-file", "token",
	})
	require.NoError(t, err)
	require.Equal(t, proxy.Config{
		Listen: ":80", Fleet: proxy.Fleet{URL: "redis://store", KeyFile: "key"}, Snapshot: "file", Hosts: []string{"a", "b"}, TokenFile: "token",
		MaxConnections: 20, ResendBody: 10, Grace: time.Minute, AdminListen: ":81", LogLevel: "warn", Insecure: true,
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

// A program is the proxy in a process of its own.
type program struct {
	*exec.Cmd

	lines *bufio.Scanner
	url   string
}

// A programLine is what tests read in a line of its log.
type programLine struct{ Msg, Reason, Listen string }

// start starts the proxy, which listens.
func start(t *testing.T, args ...string) *program {
	t.Helper()
	p := &program{Cmd: exec.CommandContext(t.Context(), os.Args[0], append([]string{"proxy"}, args...)...)} //nolint:gosec // this program
	p.Env = append(os.Environ(), "HEADWAY_TEST_PROGRAM=1")
	stderr, err := p.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, p.Start())
	p.lines = bufio.NewScanner(stderr)
	line := p.next(t)
	require.Equal(t, "start", line.Msg)
	p.url = "http://" + line.Listen
	return p
}

// next reads a line of the log.
func (p *program) next(t *testing.T) (line programLine) {
	t.Helper()
	require.True(t, p.lines.Scan())
	require.NoError(t, json.Unmarshal(p.lines.Bytes(), &line), p.lines.Text())
	return line
}

// statusOf asks for a path; 0 means that there is no response.
func (p *program) statusOf(path string) int {
	resp, err := http.Get(p.url + path) //nolint:noctx // the test ends it
	if err != nil {
		return 0
	}
	_ = resp.Body.Close()
	return resp.StatusCode
}

// SIGTERM and SIGINT end the proxy in order: the request in flight is finished. So it is if the signal comes several times, as
// timeout sends it to a process and to its group, or if SIGHUP comes meanwhile.
func TestSignals(t *testing.T) {
	for _, signal := range []os.Signal{syscall.SIGTERM, os.Interrupt} {
		t.Run(signal.String(), func(t *testing.T) {
			arrived, release := make(chan struct{}), make(chan struct{})
			upstream := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
				close(arrived)
				<-release
			}))
			defer upstream.Close()
			p := start(t, "-to", upstream.URL, "-listen", "127.0.0.1:0")
			status := make(chan int, 1)
			go func() { status <- p.statusOf("/") }()
			<-arrived
			require.NoError(t, p.Process.Signal(signal))
			require.Equal(t, "stop", p.next(t).Msg)
			for range 3 {
				require.NoError(t, p.Process.Signal(signal))
				require.NoError(t, p.Process.Signal(syscall.SIGHUP))
			}
			close(release)
			require.Equal(t, http.StatusOK, <-status)
			require.Equal(t, "stopped", p.next(t).Msg)
			require.False(t, p.lines.Scan())
			require.NoError(t, p.Wait())
		})
	}
}

// SIGHUP reads the file again. One that is wrong changes nothing. The level of the log changes, too.
func TestHangup(t *testing.T) {
	upstream := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer upstream.Close()
	file := filepath.Join(t.TempDir(), "headway.yaml")
	write := func(text string) {
		require.NoError(t, os.WriteFile(file, []byte("listen: 127.0.0.1:0\nupstreams:\n- to: "+upstream.URL+"\n"+text), 0o600))
	}
	write("  path: /first\n")
	p := start(t, "-config", file)
	require.Equal(t, 200, p.statusOf("/first"))
	for _, row := range []struct{ text, msg, reason, path string }{
		{"  path: /second\n", "reload", "", "/second"},
		{"  pth: /third\n", "reload failed", file + `:4: unknown key "pth"`, "/second"},
		{"  path: /third\nlog-level: debug\n", "reload", "", "/third"},
		{"  path: third\n", "reload failed", file + ":4: path must be such as /github, without a slash at its end", "/third"},
	} {
		write(row.text)
		require.NoError(t, p.Process.Signal(syscall.SIGHUP))
		line := p.next(t)
		require.Equal(t, row.msg, line.Msg)
		require.Equal(t, row.reason, line.Reason)
		require.Equal(t, 200, p.statusOf(row.path))
		require.Equal(t, 404, p.statusOf("/first"))
	}
	write("  path: /last\nlog-level: error\n")
	require.NoError(t, p.Process.Signal(syscall.SIGHUP))
	require.Eventually(t, func() bool { return p.statusOf("/last") == 200 }, time.Minute, time.Millisecond)
	require.NoError(t, p.Process.Signal(syscall.SIGTERM))
	require.False(t, p.lines.Scan(), "neither reload nor stop is an error")
	require.NoError(t, p.Wait())
}
