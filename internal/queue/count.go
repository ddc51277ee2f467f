package queue

import (
	"iter"
	"math"
	"slices"
)

// This file has what is known of all waiters together. A nil Queue has none.

// IsEmpty reports whether there are no waiters.
func (q *Queue[T]) IsEmpty() bool { return len(q.all()) == 0 }

// all returns the lines.
func (q *Queue[T]) all() []*line[T] {
	if q == nil {
		return nil
	}
	return q.lines
}

// levels yields the levels of all lines.
func (q *Queue[T]) levels() iter.Seq[*level[T]] {
	return func(yield func(*level[T]) bool) {
		for _, l := range q.all() {
			for _, level := range l.levels {
				if !yield(level) {
					return
				}
			}
		}
	}
}

// Len returns the number of waiters.
func (q *Queue[T]) Len() (n int) {
	for _, l := range q.all() {
		n += l.len()
	}
	return n
}

// Using returns the number of waiters that use at least one of the limits.
func (q *Queue[T]) Using(limits Set) (n int) {
	for _, l := range q.all() {
		if q.limits(l.first())&limits != 0 {
			n += l.len()
		}
	}
	return n
}

// Firsts returns the first waiter of each line, in no particular order.
func (q *Queue[T]) Firsts() (firsts []*Waiter[T]) {
	for _, l := range q.all() {
		firsts = append(firsts, l.first())
	}
	return firsts
}

// Oldest returns the waiter whose call was made first; nil if there is none.
func (q *Queue[T]) Oldest() (oldest *Waiter[T]) {
	for l := range q.levels() {
		if oldest == nil || l.head.Called < oldest.Called {
			oldest = l.head
		}
	}
	return oldest
}

// Expired returns a waiter that has expired by now. If there is none, it returns nil and the time at which the next one
// may expire. It looks at all waiters of a level only if they do not expire in the order of their calls.
func (q *Queue[T]) Expired(now int64) (expired *Waiter[T], next int64) {
	if q.expires > now {
		return nil, q.expires
	}
	q.expires = math.MaxInt64
	for l := range q.levels() {
		w := l.soonest()
		if w.Expires <= now {
			q.expires = now // the next one may have expired as well
			return w, now
		}
		q.expires = min(q.expires, w.Expires)
	}
	return nil, q.expires
}

// Ahead returns the cost, in requests, of the waiters that would go before w if it joined now, as far as they use the
// same limits. It ignores the turns of the oldest.
func (q *Queue[T]) Ahead(w *Waiter[T]) (cost int64) {
	if q == nil {
		return 0
	}
	for l := range q.meeting(w) {
		cost += l.ahead(w.rank())
	}
	return cost
}

// Each visits all waiters in their order, ignoring the turns of the oldest, and removes those that do not stay. ahead is
// the cost, in requests, of the waiters that stay before w and use the same limits. Afterwards all lines are planned.
func (q *Queue[T]) Each(visit func(w *Waiter[T], ahead int64) (stays bool)) {
	type before struct {
		limits Set
		cost   int64
	}
	lines := make(map[*line[T]]*before, len(q.all()))
	var waiters []*Waiter[T]
	for _, l := range q.all() {
		lines[l] = &before{limits: q.limits(l.first())}
		l.planned = true
		for _, level := range l.levels {
			for w := level.head; w != nil; w = w.next {
				waiters = append(waiters, w)
			}
		}
	}
	if len(lines) > 1 { // one line is in order
		slices.SortStableFunc(waiters, (*Waiter[T]).before)
	}
	for _, w := range waiters {
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

// Unplan marks all lines as not planned, as the server's reports are forgotten.
func (q *Queue[T]) Unplan() {
	for _, l := range q.all() {
		l.planned = false
	}
}
