package queue

import (
	"iter"
	"slices"
)

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
	for _, l := range q.lines {
		if l.kind == k {
			return l
		}
	}
	l := &line[T]{kind: k, planned: planned}
	q.lines = append(q.lines, l)
	return l
}

// Remove removes w, which must be queued.
func (q *Queue[T]) Remove(w *Waiter[T]) {
	l := w.line
	if l.remove(w); len(l.levels) == 0 {
		q.lines = slices.DeleteFunc(q.lines, func(other *line[T]) bool { return other == l })
	}
}

// Next visits the waiters that may be next, in the order of their turns, until visit returns stop. visit returns the
// limits for which the waiter has to wait. Later waiters that use one of these limits may not overtake, so Next skips
// them. visit may remove only the waiter for which it returns stop, and change only others of the same line.
func (q *Queue[T]) Next(visit func(*Waiter[T]) (waitsFor Set, stop bool)) {
	var taken Set
	for _, w := range q.order() {
		if taken != 0 && taken&q.uses(w) != 0 {
			continue
		}
		waitsFor, stop := visit(w)
		if stop {
			return
		}
		taken |= waitsFor
	}
}

// order returns the first waiter of each line, in the order of their turns. The result is valid until the queue changes.
func (q *Queue[T]) order() []*Waiter[T] {
	q.firsts = q.firsts[:0]
	for _, l := range q.lines {
		q.firsts = append(q.firsts, l.first())
	}
	if len(q.firsts) > 1 {
		slices.SortStableFunc(q.firsts, (*Waiter[T]).turn)
	}
	return q.firsts
}

// Grant removes w, which may go. Unless w is a resend, the grant counts as a turn of all lines that use the same limits.
func (q *Queue[T]) Grant(w *Waiter[T]) {
	if !w.Resend {
		for l := range q.meeting(w) {
			l.turns++
		}
	}
	q.Remove(w)
}

// meeting yields the lines that share a limit with w.
func (q *Queue[T]) meeting(w *Waiter[T]) iter.Seq[*line[T]] {
	return func(yield func(*line[T]) bool) {
		limits := q.limits(w)
		for _, l := range q.lines {
			if (l.kind == w.Kind || l == w.line || meet(limits, q.limits(l.first()))) && !yield(l) {
				return
			}
		}
	}
}

// limits is the set of limits that a waiter uses, without Everything.
func (q *Queue[T]) limits(w *Waiter[T]) Set { return q.uses(w) &^ Everything }
