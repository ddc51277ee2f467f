package queue

import "cmp"

// A Set is a set of limits, one bit each, numbered as in package pacer.
type Set uint32

// Everything is the bit for what delays all requests, regardless of the limits that they use: a hold, for example.
const Everything Set = 1 << 31

// meet reports whether waiters that use these limits share one. Waiters without known limits share all.
func meet(a, b Set) bool { return a&b != 0 || a == 0 && b == 0 }

// A Kind identifies requests that use the same limits.
type Kind struct {
	Route uint8 // the number of the route
	Free  uint8 // the quota units of which the request uses nothing, one bit each
}

// A Waiter is one request in a Queue, or on its way into one. The caller sets the exported fields before Push and does
// not change them while the waiter is queued. The queue does not use Value.
type Waiter[T any] struct {
	Called   int64 // when the call was made; earlier goes first within a priority
	Expires  int64 // when its wait ends, even if its start is planned in time; see Queue.Expired
	Priority int   // higher goes first
	Resend   bool  // the request was sent before, and throttled
	Requests int64 // its cost in requests
	Kind     Kind
	Value    T

	line       *line[T] // nil: not queued
	prev, next *Waiter[T]
}

// IsQueued reports whether w is in a queue.
func (w *Waiter[T]) IsQueued() bool { return w.line != nil }

// IsFirst reports whether w, which must be queued, is the first of its line.
func (w *Waiter[T]) IsFirst() bool { return w.line.first() == w }

// IsPlanned reports whether the plan of the line of w rests on a server's report: since Push or since Each. w must be
// queued.
func (w *Waiter[T]) IsPlanned() bool { return w.line.planned }

// A rank orders waiters before the times of their calls do.
type rank struct {
	resend   bool
	priority int // 0 if resend, as resends go in the order of their calls
}

func (w *Waiter[T]) rank() rank {
	if w.Resend {
		return rank{resend: true}
	}
	return rank{priority: w.Priority}
}

// compare is negative if r goes before other.
func (r rank) compare(other rank) int {
	switch {
	case r.resend == other.resend:
		return cmp.Compare(other.priority, r.priority)
	case r.resend:
		return -1
	}
	return 1
}

// before is negative if w goes before other. It ignores the turns of the oldest.
func (w *Waiter[T]) before(other *Waiter[T]) int {
	return cmp.Or(w.rank().compare(other.rank()), cmp.Compare(w.Called, other.Called))
}

// turn compares the first waiters of two lines; it is negative if w goes before other.
func (w *Waiter[T]) turn(other *Waiter[T]) int {
	mine, theirs := w.line.isOldestTurn(), other.line.isOldestTurn()
	switch {
	case w.Resend || other.Resend || !mine && !theirs:
		return w.before(other)
	case mine && theirs:
		return cmp.Compare(w.Called, other.Called)
	case mine:
		return -1
	}
	return 1
}
