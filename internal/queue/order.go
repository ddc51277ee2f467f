package queue

import (
	"cmp"
	"slices"
)

// before compares two waiters; negative means that w goes first. It ignores the turns of the oldest.
func (w *Waiter[T]) before(other *Waiter[T]) int {
	switch {
	case w.Resend && !other.Resend:
		return -1
	case other.Resend && !w.Resend:
		return 1
	case w.Resend || w.Priority == other.Priority:
		return cmp.Compare(w.Called, other.Called)
	}
	return cmp.Compare(other.Priority, w.Priority)
}

// turn compares the first waiters of two lines; negative means that w goes first.
func (w *Waiter[T]) turn(other *Waiter[T]) int {
	if w.Resend || other.Resend {
		return w.before(other)
	}
	switch mine, theirs := w.line.isOldestTurn(), other.line.isOldestTurn(); {
	case mine && theirs:
		return cmp.Compare(w.Called, other.Called)
	case mine:
		return -1
	case theirs:
		return 1
	}
	return w.before(other)
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

// all returns all waiters in their order, ignoring the turns of the oldest.
func (q *Queue[T]) all() []*Waiter[T] {
	all := make([]*Waiter[T], 0, q.Len())
	for l := range q.lists() {
		for w := l.head; w != nil; w = w.next {
			all = append(all, w)
		}
	}
	if len(q.lines) > 1 {
		slices.SortStableFunc(all, (*Waiter[T]).before)
	}
	return all
}
