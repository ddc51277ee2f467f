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

// A program is a server that runs as a process of its own, from a package of the system.
type program struct {
	name string // of the executable
	// config returns the configuration. arguments return the command line with which the program reads that
	// file and stays in the foreground.
	config    func(s site) string
	arguments func(file string) []string
}

// A site has the values that a configuration needs.
type site struct {
	folder   string // for all files of the program
	listen   string // address and port
	upstream string // address and port of the API behind the program
}

// path returns the path of the executable; "" if it is not installed.
func (p program) path() string {
	for _, folder := range append(filepath.SplitList(os.Getenv("PATH")), "/usr/sbin", "/usr/local/sbin") {
		if path, err := exec.LookPath(filepath.Join(folder, p.name)); err == nil {
			return path
		}
	}
	return ""
}

// begin starts the program in front of an API, on a free port of loopback, and returns its URL. The program
// is killed at the end of the test.
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
		_ = cmd.Wait() // returns an error, as it was killed
		_ = log.Close()
		if text, err := os.ReadFile(log.Name()); err == nil && t.Failed() {
			t.Logf("%s says:\n%s", p.name, text)
		}
	})
	awaitPort(t, s.listen)
	return "http://" + s.listen + "/"
}

// freePort returns a free address on loopback.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // it does not wait
	require.NoError(t, err)
	defer func() { require.NoError(t, l.Close()) }()
	return l.Addr().String()
}

// awaitPort waits until the address accepts connections, for ten seconds at most.
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
