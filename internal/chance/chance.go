// Package chance draws the random numbers for jitter. All random numbers come from here, so that a test can repeat a run.
package chance

import (
	"math/rand/v2"
	"sync"
)

// A Source returns random numbers in [0, 1). It must be safe for concurrent use, as partitions call it under locks of their
// own.
type Source func() float64

// New returns the Source of package math/rand/v2, which cannot be seeded.
func New() Source { return rand.Float64 }

// seeded maps Transports that were not used yet to the Sources that tests set. It is empty outside tests. A field of
// Transport would be visible to users, or out of reach of tests in other packages.
var seeded sync.Map //nolint:gochecknoglobals // tests alone change it, see above

// Seed sets the Source of a transport, for tests only. transport is a pointer to a Transport that was not used yet. Seed
// keeps it alive until its first use.
func Seed(transport any, source Source) { seeded.Store(transport, source) }

// For returns the Source that Seed set for a transport, once; else New. It may be called concurrently.
func For(transport any) Source {
	if source, ok := seeded.LoadAndDelete(transport); ok {
		return source.(Source) //nolint:forcetypeassert // Seed alone stores
	}
	return New()
}
