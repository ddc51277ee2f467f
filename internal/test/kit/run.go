package kit

import (
	"testing"
	"testing/synctest"
)

// IsBrief reports whether a test that measures does a small part of its work: with -short, and under the race detector,
// which looks for other things than figures.
func IsBrief() bool { return Raced || testing.Short() }

// Bubble runs f as a subtest with that name, whose time is that of a testing/synctest bubble.
func Bubble(t *testing.T, name string, f func(t *testing.T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) { synctest.Test(t, f) })
}
