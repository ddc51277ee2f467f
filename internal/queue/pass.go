package queue

import (
	"iter"
	"slices"
)

// This file is about all who wait: how many a new one would have before it, and in which order they go.

// limits is the set of limits that a waiter uses, without what keeps back all alike.
func (q *Queue[T]) limits(w *Waiter[T]) Set { return q.uses(w) &^ Everything }

// meet reports whether waiters that use these limits are in each other's way. Where no limit is known, all are.
func meet(a, b Set) bool { return a&b != 0 || a == 0 && b == 0 }

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

// Ahead returns the cost, in requests, of the waiters that w would have before it if it joined now, at limits that
// it uses. The turns of the oldest are left out.
func (q *Queue[T]) Ahead(w *Waiter[T]) (cost int64) {
	if q == nil {
		return 0
	}
	for l := range q.meeting(w) {
		cost += l.ahead(w.Resend, w.Priority)
	}
	return cost
}

// Each visits all waiters in the order in which they go, but for the turns of the oldest, and takes those
// that do not stay out of the queue. ahead is the cost, in requests, of those that stay before w at limits that it
// uses. All lines count as planned from then on.
func (q *Queue[T]) Each(visit func(w *Waiter[T], ahead int64) (stays bool)) {
	if q == nil {
		return
	}
	type before struct {
		limits Set
		cost   int64
	}
	lines := make(map[*line[T]]*before, len(q.lines))
	for _, l := range q.lines {
		lines[l] = &before{limits: q.limits(l.first())}
		l.planned = true
	}
	for _, w := range q.all() {
		own := lines[w.line]
		if !visit(w, own.cost) {
			q.Remove(w)
			continue
		}
		for _, other := range lines {
			if other == own || meet(own.limits, other.limits) {
				other.cost += w.Requests
			}
		}
	}
}

// all returns all waiters in the order of their turns, but for those of the oldest.
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
