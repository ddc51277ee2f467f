//go:build unix

package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/test/page"
)

// TestMain runs the test's binary as a member of the fleet if a test has started it so.
func TestMain(m *testing.M) {
	if isMember() {
		os.Exit(runMember())
	}
	m.Run()
}

// needStore skips a test if there is no store to run, unless one is required.
func needStore(t *testing.T) {
	t.Helper()
	_, err := findStore()
	if err != nil && os.Getenv("HEADWAY_REDIS") != "required" {
		t.Skipf("%v: nothing is measured with a real store; set HEADWAY_REDIS=required for this to be an error", err)
	}
	require.NoError(t, err)
}

// TestFigures runs the short form, which takes real time.
func TestFigures(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes real time: not with -short")
	}
	needStore(t)
	s := &session{form: shortForm(), out: t.Output(), write: page.Folder(t.TempDir()), verbose: true}
	require.NoError(t, s.run(t.Context()))
	require.Len(t, s.results, len(s.form.plan()))
	for _, x := range s.results {
		require.Len(t, x.accounts, s.form.processes, x)
		lost := x.sum(func(a *account) int { return a.Lost })
		switch x.fault.name {
		case "killed", "paused":
			require.GreaterOrEqual(t, lost, s.form.processes, "all notice: %v", x)
			require.Equal(t, lost, x.sum(func(a *account) int { return a.Found }), x)
		case "one cut off":
			require.Equal(t, 1, x.accounts[0].Lost, x)
			require.Equal(t, 1, lost, x)
		case "bad network":
			require.NotZero(t, x.dropped, x)
		default:
			require.Zero(t, lost, x)
		}
	}
	written, err := s.write.Read("fleet.md")
	require.NoError(t, err)
	require.Contains(t, written, s.shares())
	require.Contains(t, written, s.faults())
}
