package queue

import "slices"

// maxLines bounds the lines of a queue, because servers and callers choose how many kinds of requests there
// are. Waiters of further kinds stand behind others of their route, if there are any.
const maxLines = 64

// A Queue has the requests that wait for one thing: a partition, or the Ceiling. A nil Queue is empty. It
// is not safe for concurrent use.
type Queue[T any] struct {
	uses    func(*Waiter[T]) Set
	lines   []*line[T]   // none empty
	firsts  []*Waiter[T] // what order returned last, whose memory it uses again
	expires int64        // no waiter expires before
}

// Make returns an empty queue. uses tells the limits that a waiter uses as far as is known now, Everything
// included unless nothing at all keeps it back. What it tells of a waiter may change from call to call.
func Make[T any](uses func(*Waiter[T]) Set) Queue[T] { return Queue[T]{uses: uses} }

// Push queues w. planned says that its start was planned by what a server told; see
// Waiter.IsPlanned.
func (q *Queue[T]) Push(w *Waiter[T], planned bool) {
	q.expires = min(q.expires, w.Expires)
	q.line(w.Kind, planned).push(w)
}

// line returns the line for a kind.
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

// Remove takes w, which is queued, out of the queue.
func (q *Queue[T]) Remove(w *Waiter[T]) {
	l := w.line
	if l.remove(w); l.isEmpty() {
		q.lines = slices.DeleteFunc(q.lines, func(other *line[T]) bool { return other == l })
	}
}

// limits is the set of limits that a waiter uses, without what keeps back all alike.
func (q *Queue[T]) limits(w *Waiter[T]) Set { return q.uses(w) &^ Everything }

// Unplan says that what a server told counts no more: no line is planned until it is so again.
func (q *Queue[T]) Unplan() {
	if q == nil {
		return
	}
	for _, l := range q.lines {
		l.planned = false
	}
}
