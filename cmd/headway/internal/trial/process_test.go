package trial_test

import (
	"bufio"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	startsWithin = 10 * time.Second
	endsWithin   = 40 * time.Second // the proxy gives its requests 30 s
)

// A process is a server that runs beside the test.
type process struct {
	cmd  *exec.Cmd
	done chan struct{} // closed when its standard error is at the end
	stop sync.Once

	mu    sync.Mutex
	lines []string // of its standard error
}

// begin starts a process, and waits for the line of its standard error in which ready finds where it listens. It is
// ended with the test.
func begin(t *testing.T, cmd *exec.Cmd, ready func(line string) (address string)) (p *process, address string) {
	t.Helper()
	p = &process{cmd: cmd, done: make(chan struct{})}
	stderr, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		p.end()
		if t.Failed() {
			t.Logf("%s says:\n%s", filepath.Base(cmd.Path), strings.Join(p.log(), "\n"))
		}
	})
	addresses := make(chan string, 1)
	go p.read(stderr, ready, addresses)
	select {
	case address, isThere := <-addresses:
		require.True(t, isThere, "%s ends at once", cmd.Path)
		return p, address
	case <-time.After(startsWithin):
		require.Fail(t, "it does not say that it is ready", cmd.Path)
		return nil, ""
	}
}

// read reads standard error to its end, and sends the first address.
func (p *process) read(stderr io.Reader, ready func(line string) string, addresses chan<- string) {
	defer close(p.done)
	defer close(addresses)
	isReady := false
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		p.mu.Lock()
		p.lines = append(p.lines, lines.Text())
		p.mu.Unlock()
		if isReady {
			continue
		}
		if address := ready(lines.Text()); address != "" {
			addresses <- address
			isReady = true
		}
	}
}

// log returns the lines that the process has written to standard error.
func (p *process) log() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.lines)
}

// end asks the process to end, waits until it has, and returns its exit code. That is -1 if a signal has ended it.
func (p *process) end() int {
	p.stop.Do(func() {
		_ = p.cmd.Process.Signal(syscall.SIGTERM) // fails if it has ended
		select {
		case <-p.done:
		case <-time.After(endsWithin):
			_ = p.cmd.Process.Kill()
			<-p.done
		}
		_ = p.cmd.Wait() // the exit code says the same
	})
	return p.cmd.ProcessState.ExitCode()
}

// find returns the path of an executable; "" if it is not installed. Debian's nginx is where PATH may not lead.
func find(name string) string {
	for _, folder := range append(filepath.SplitList(os.Getenv("PATH")), "/usr/sbin", "/usr/local/sbin") {
		if path, err := exec.LookPath(filepath.Join(folder, name)); err == nil {
			return path
		}
	}
	return ""
}

// missing skips the test for want of a tool. With HEADWAY_CLIENTS=required the test fails.
func missing(t *testing.T, tool, install string) {
	t.Helper()
	require.NotEqual(t, "required", os.Getenv("HEADWAY_CLIENTS"), "there is no %s: %s", tool, install)
	t.Skipf("there is no %s: %s", tool, install)
}

// freePort returns a free address on loopback.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // it does not wait
	require.NoError(t, err)
	defer func() { require.NoError(t, l.Close()) }()
	return l.Addr().String()
}
