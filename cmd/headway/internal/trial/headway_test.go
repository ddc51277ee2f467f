package trial_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/test/kit/child"
)

// buildHeadway builds the program, and returns its path.
func buildHeadway(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "headway")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", path, "github.com/headway-go/headway/cmd/headway")
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // as the Dockerfile does
	output, err := build.CombinedOutput()
	require.NoError(t, err, string(output))
	return path
}

// A logLine is what the tests read in a line of the proxy's log.
type logLine struct{ Level, Msg, Listen string }

// startHeadway starts the proxy in front of a server, with no other setting, and returns its URL.
func startHeadway(t *testing.T, path, upstream string) (p *child.Process, url string) {
	t.Helper()
	p, address := child.Start(t, exec.Command(path, "proxy", "-to", upstream, "-listen", "127.0.0.1:0"), func(line string) string { //nolint:noctx // it ends with the test
		var l logLine
		_ = json.Unmarshal([]byte(line), &l) // what cannot be read is not the line
		return l.Listen
	})
	return p, "http://" + address
}

// requireQuiet ends the proxy. It must end in order, and its log must have no warning.
func requireQuiet(t *testing.T, p *child.Process) {
	t.Helper()
	require.Zero(t, p.End(), "exit code")
	for _, line := range p.Output() {
		var l logLine
		require.NoError(t, json.Unmarshal([]byte(line), &l), line)
		require.Equal(t, "INFO", l.Level, line)
	}
}
