// Package chance has the source of the random numbers that requests are spread by. It is the
// only place that draws them, so that a test can repeat what chance has decided.
package chance

import (
	"math/rand/v2"
	"sync"
)

// A Source returns random numbers of at least 0 and less than 1. Partitions call it, each
// under its own lock, so it must be safe for concurrent use.
type Source func() float64

// New returns the source of package math/rand/v2, which cannot be seeded.
func New() Source { return rand.Float64 }

// seeded has the sources of Transports that were not used yet, by their pointers. Tests alone
// write to it: a program's is always empty. A field of Transport instead would be a test's hook
// in the type that users see, and out of reach of tests in other packages.
var seeded sync.Map //nolint:gochecknoglobals // tests alone change it, see above

// Seed has a transport, which is a pointer and was not used yet, draw from that source. It is
// for tests only. It keeps the transport alive until the first use of it.
func Seed(transport any, source Source) { seeded.Store(transport, source) }

// For returns the source of a transport: what Seed was called with, the first time, else New.
// It may be called concurrently.
func For(transport any) Source {
	if source, ok := seeded.LoadAndDelete(transport); ok {
		return source.(Source) //nolint:forcetypeassert // Seed alone stores
	}
	return New()
}
