package kit

import (
	"testing"
	"testing/synctest"
)

// Bubble runs f as a subtest with that name, whose time is that of a testing/synctest bubble.
func Bubble(t *testing.T, name string, f func(t *testing.T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) { synctest.Test(t, f) })
}
