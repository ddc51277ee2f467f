package queue

// A Set is a set of limits, one bit each. The numbers are those of package pacer.
type Set uint32

// Everything is the bit of what keeps back all requests alike, whichever limits they use.
const Everything Set = 1 << 31

// A Kind is what requests have in common that use the same limits.
type Kind struct {
	Route uint8  // the number of the route
	Free  uint8  // the units of which the request uses nothing, a bit each
	Key   string // the partition key, if the server has a quota for each; else ""
}

// A Waiter is one request that waits, or may have to. The caller sets the exported fields before
// Push and does not change them while the waiter is queued. Value is the caller's own.
type Waiter[T any] struct {
	Called   int64 // when the call was made; orders equals
	Expires  int64 // when its wait ends, whatever is planned; see Queue.Expired
	Priority int   // higher goes first
	Resend   bool  // it was sent before, and throttled
	Requests int64 // what it costs, in requests
	Kind     Kind
	Value    T

	line       *line[T] // nil: not queued
	prev, next *Waiter[T]
}

// IsQueued reports whether w is in a queue.
func (w *Waiter[T]) IsQueued() bool { return w.line != nil }

// IsFirst reports whether it is the turn of w, which is queued, among those of its line.
func (w *Waiter[T]) IsFirst() bool { return w.line.first() == w }

// IsPlanned reports whether the line of w, which is queued, was planned by what a server told: at Push, or by
// Each since.
func (w *Waiter[T]) IsPlanned() bool { return w.line.planned }
