package queue

import "slices"

// maxLines bounds the lines of a queue, as servers and callers choose how many kinds of requests there are. Waiters of
// further kinds join a line of their route.
const maxLines = 64

// A Queue holds the requests that wait for a partition or for the Ceiling. A nil Queue is empty. A Queue is not safe for
// concurrent use.
type Queue[T any] struct {
	uses    func(*Waiter[T]) Set
	lines   []*line[T]   // none empty
	firsts  []*Waiter[T] // the last result of order, whose memory the next one uses
	expires int64        // no waiter expires before
}

// Make returns an empty queue. uses returns the limits that a waiter uses, as far as they are known now. The set contains
// Everything unless nothing can delay the waiter. The result for a waiter may change from call to call.
func Make[T any](uses func(*Waiter[T]) Set) Queue[T] { return Queue[T]{uses: uses} }

// Push queues w. planned says that the plan of its start rests on a server's report; see Waiter.IsPlanned.
func (q *Queue[T]) Push(w *Waiter[T], planned bool) {
	q.expires = min(q.expires, w.Expires)
	q.line(w.Kind, planned).push(w)
}

// line returns the line of a kind, and makes it if there is none.
func (q *Queue[T]) line(k Kind, planned bool) *line[T] {
	other := -1
	for i, l := range q.lines {
		if l.kind == k {
			return l
		}
		if l.kind.Route == k.Route && l.kind.Free == k.Free {
			other = i
		}
	}
	if len(q.lines) >= maxLines && other >= 0 {
		return q.lines[other]
	}
	l := &line[T]{kind: k, planned: planned}
	q.lines = append(q.lines, l)
	return l
}

// Remove removes w, which must be queued.
func (q *Queue[T]) Remove(w *Waiter[T]) {
	l := w.line
	if l.remove(w); l.isEmpty() {
		q.lines = slices.DeleteFunc(q.lines, func(other *line[T]) bool { return other == l })
	}
}

// limits is the set of limits that a waiter uses, without Everything.
func (q *Queue[T]) limits(w *Waiter[T]) Set { return q.uses(w) &^ Everything }

// Unplan marks all lines as not planned, as the server's reports are forgotten.
func (q *Queue[T]) Unplan() {
	if q == nil {
		return
	}
	for _, l := range q.lines {
		l.planned = false
	}
}
