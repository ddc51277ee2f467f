package kit

import "testing"

// IsBrief reports whether a test that measures does a small part of its work: with -short, and under the race detector,
// which looks for other things than figures.
func IsBrief() bool { return Raced || testing.Short() }
