package child

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Find returns the path of the first of the programs that is installed; "" if none is. Debian installs servers where
// PATH may not lead.
func Find(names ...string) string {
	folders := append(filepath.SplitList(os.Getenv("PATH")), "/usr/sbin", "/usr/local/sbin")
	for _, name := range names {
		for _, folder := range folders {
			if path, err := exec.LookPath(filepath.Join(folder, name)); err == nil {
				return path
			}
		}
	}
	return ""
}

// Need returns the path of the first of the programs that is installed. If none is, the test ends as with Missing.
func Need(t *testing.T, variable, install string, names ...string) (path string) {
	t.Helper()
	path = Find(names...)
	if path == "" {
		Missing(t, variable, strings.Join(names, " or "), install)
	}
	return path
}

// Missing skips the test for want of a tool. If the variable of the environment is "required" the test fails.
func Missing(t *testing.T, variable, tool, install string) {
	t.Helper()
	require.NotEqual(t, "required", os.Getenv(variable), "there is no %s: %s", tool, install)
	t.Skipf("there is no %s: %s", tool, install)
}
