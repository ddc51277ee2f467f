package queue

import "iter"

// Next calls ask for the waiters that may be next, in the order of their turns, until ask returns stop. ask returns the
// limits for which the waiter has to wait. Later waiters that use one of these limits may not overtake, so Next skips
// them. ask may remove only the waiter for which it returns stop, and change only others of the same line.
func (q *Queue[T]) Next(ask func(*Waiter[T]) (waitsFor Set, stop bool)) {
	var taken Set
	for _, w := range q.order() {
		if taken != 0 && taken&q.uses(w) != 0 {
			continue
		}
		waitsFor, stop := ask(w)
		if stop {
			return
		}
		taken |= waitsFor
	}
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

// meet reports whether waiters that use these limits share one. Waiters without known limits share all.
func meet(a, b Set) bool { return a&b != 0 || a == 0 && b == 0 }
