package queue

import "iter"

// Next asks each waiter that may be next, in the order of their turns, for the limits that it waits for, until one
// answers stop. A waiter that uses a limit that one asked before it waits for is not asked: it does not
// pass. Only the one that stops may be removed, and only others of its line may be changed.
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

// Grant takes w out of the queue because it goes. Unless it is a resend, that counts as a turn of all lines whose
// waiters use the limits that it takes from.
func (q *Queue[T]) Grant(w *Waiter[T]) {
	if !w.Resend {
		for l := range q.meeting(w) {
			l.turns++
		}
	}
	q.Remove(w)
}

// meeting yields the lines whose waiters are in the way of w, and w in theirs.
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

// meet reports whether waiters that use these limits are in each other's way. Where no limit is known, all are.
func meet(a, b Set) bool { return a&b != 0 || a == 0 && b == 0 }
