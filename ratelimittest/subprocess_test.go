package ratelimittest_test

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// subprocessEnv is set in the subprocess of failsInSubprocess.
const subprocessEnv = "RATELIMITTEST_APART"

// failsInSubprocess runs the test again in a subprocess, requires that it fails, and returns its output. In
// the subprocess itself it calls fail, and done is true.
func failsInSubprocess(t *testing.T, fail func(t *testing.T)) (output string, done bool) {
	t.Helper()
	if os.Getenv(subprocessEnv) != "" {
		fail(t)
		return "", true
	}
	program := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^"+t.Name()+"$", "-test.timeout", "5m")
	program.Env = append(os.Environ(), subprocessEnv+"=1")
	printed, err := program.CombinedOutput()
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit)
	return string(printed), false
}
