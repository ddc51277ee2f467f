package ratelimittest_test

import (
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// apart is set in a program that a test has started to do what must fail.
const apart = "RATELIMITTEST_APART"

// failsApart runs the test again in a program of its own, which must fail, and returns
// what that prints. There it calls fail, and done is true.
func failsApart(t *testing.T, fail func(t *testing.T)) (output string, done bool) {
	t.Helper()
	if os.Getenv(apart) != "" {
		fail(t)
		return "", true
	}
	program := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^"+t.Name()+"$", "-test.timeout", "5m")
	program.Env = append(os.Environ(), apart+"=1")
	printed, err := program.CombinedOutput()
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit)
	return string(printed), false
}
