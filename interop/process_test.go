package interop_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A program is a server that is a process of its own, from a package of the system.
type program struct {
	name string // of the executable
	// config is its configuration, and arguments those that have it read that file and stay in the foreground.
	config    func(s site) string
	arguments func(file string) []string
}

// A site is what a configuration has to know.
type site struct {
	folder   string // for all that the program writes
	listen   string // address and port
	upstream string // address and port of the API behind the program
}

// path is where the executable is, "" if there is none.
func (p program) path() string {
	for _, folder := range append(filepath.SplitList(os.Getenv("PATH")), "/usr/sbin", "/usr/local/sbin") {
		if path, err := exec.LookPath(filepath.Join(folder, p.name)); err == nil {
			return path
		}
	}
	return ""
}

// begin starts the program, before an API, on a free port of the loopback interface, and returns its URL. It is killed when
// the test is over.
func (p program) begin(t *testing.T, api http.Handler) (url string) {
	t.Helper()
	upstream := httptest.NewServer(api)
	t.Cleanup(upstream.Close)
	s := site{folder: t.TempDir(), listen: freePort(t), upstream: strings.TrimPrefix(upstream.URL, "http://")}
	file := filepath.Join(s.folder, p.name+".conf")
	require.NoError(t, os.WriteFile(file, []byte(p.config(s)), 0o600))
	log, err := os.Create(filepath.Join(s.folder, "output"))
	require.NoError(t, err)
	cmd := exec.Command(p.path(), p.arguments(file)...) //nolint:noctx // the cleanup below kills it
	cmd.Dir, cmd.Stdout, cmd.Stderr = s.folder, log, log
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed: that is its error
		_ = log.Close()
		if text, err := os.ReadFile(log.Name()); err == nil && t.Failed() {
			t.Logf("%s says:\n%s", p.name, text)
		}
	})
	awaitPort(t, s.listen)
	return "http://" + s.listen + "/"
}

// freePort is an address of the loopback interface that nobody listens at.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // it does not wait
	require.NoError(t, err)
	defer func() { require.NoError(t, l.Close()) }()
	return l.Addr().String()
}

// awaitPort waits until somebody listens there, for some seconds at most.
func awaitPort(t *testing.T, address string) {
	t.Helper()
	require.Eventually(t, func() bool {
		conn, err := net.DialTimeout("tcp", address, time.Second) //nolint:noctx // it has a timeout
		if err != nil {
			return false
		}
		return conn.Close() == nil
	}, 10*time.Second, 10*time.Millisecond, "nobody listens at %s", address)
}
