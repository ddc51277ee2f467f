package child

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
	endsWithin   = 40 * time.Second // headway proxy gives its requests 30 s
)

// A Process is a program that runs beside the test. It is safe for concurrent use.
type Process struct {
	cmd   *exec.Cmd
	ended chan struct{} // closed at the end of its output
	stop  sync.Once

	mu    sync.Mutex
	lines []string // of its output
}

// Start starts cmd, and waits for the line of its output in which ready finds where it listens.
func Start(t *testing.T, cmd *exec.Cmd, ready func(line string) (address string)) (p *Process, address string) {
	t.Helper()
	addresses := make(chan string, 1)
	p = begin(t, cmd, func(line string) {
		if address := ready(line); address != "" {
			select {
			case addresses <- address:
			default: // the first one counts
			}
		}
	})
	select {
	case address = <-addresses:
	case <-p.ended:
	case <-time.After(startsWithin):
	}
	require.NotEmpty(t, address, "%s does not say that it is ready", cmd.Path)
	return p, address
}

// StartAt starts cmd, and waits until it accepts connections at address.
func StartAt(t *testing.T, cmd *exec.Cmd, address string) *Process {
	t.Helper()
	p := begin(t, cmd, func(string) {})
	require.Eventually(t, func() bool { return p.hasEnded() || accepts(address) },
		startsWithin, 10*time.Millisecond, "nobody listens at %s", address)
	require.False(t, p.hasEnded(), "%s ends at once", cmd.Path)
	return p
}

// begin starts cmd and calls each with every line of its output.
func begin(t *testing.T, cmd *exec.Cmd, each func(line string)) *Process {
	t.Helper()
	output, input, err := os.Pipe()
	require.NoError(t, err)
	cmd.Stdout, cmd.Stderr = input, input
	err = cmd.Start()
	_ = input.Close() // the program has its own
	require.NoError(t, err)
	p := &Process{cmd: cmd, ended: make(chan struct{})}
	go p.read(output, each)
	t.Cleanup(func() {
		p.End()
		if t.Failed() {
			t.Logf("%s says:\n%s", filepath.Base(cmd.Path), strings.Join(p.Output(), "\n"))
		}
	})
	return p
}

func (p *Process) read(output io.ReadCloser, each func(line string)) {
	defer close(p.ended)
	for lines := bufio.NewScanner(output); lines.Scan(); {
		p.mu.Lock()
		p.lines = append(p.lines, lines.Text())
		p.mu.Unlock()
		each(lines.Text())
	}
	_ = output.Close() // it is at the end
}

// Output returns the lines that the program has written.
func (p *Process) Output() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.lines)
}

// End asks the program to end with SIGTERM, waits until it has, and returns its exit code. The code is -1 if a signal
// has ended it. One that does not end is killed.
func (p *Process) End() int {
	p.stop.Do(func() {
		patience := time.After(endsWithin)
		if p.cmd.Process.Signal(syscall.SIGTERM) != nil {
			_ = p.cmd.Process.Kill() // a system without the signal; fails if it has ended
		}
		select {
		case <-p.ended:
		case <-patience:
			_ = p.cmd.Process.Kill()
			<-p.ended
		}
		_ = p.cmd.Wait() // the exit code says the same
	})
	return p.cmd.ProcessState.ExitCode()
}

func (p *Process) hasEnded() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

func accepts(address string) bool {
	conn, err := net.DialTimeout("tcp", address, time.Second) //nolint:noctx // it has a timeout
	return err == nil && conn.Close() == nil
}

// FreeAddress returns an address on loopback at which nothing listens.
func FreeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // it does not wait
	require.NoError(t, err)
	require.NoError(t, l.Close())
	return l.Addr().String()
}
