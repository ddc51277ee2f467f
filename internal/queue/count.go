package queue

import (
	"iter"
	"math"
)

// This file has the queries that change nothing but Expired's shortcut.

// IsEmpty reports whether there are no waiters.
func (q *Queue[T]) IsEmpty() bool { return q == nil || len(q.lines) == 0 }

// Len returns the number of waiters.
func (q *Queue[T]) Len() int {
	n := 0
	for l := range q.lists() {
		n += l.n
	}
	return n
}

// Using returns the number of waiters that use at least one of the limits.
func (q *Queue[T]) Using(limits Set) (n int) {
	if q == nil {
		return 0
	}
	for _, l := range q.lines {
		if q.limits(l.first())&limits != 0 {
			n += l.len()
		}
	}
	return n
}

// Firsts returns the first waiter of each line, in no particular order.
func (q *Queue[T]) Firsts() (firsts []*Waiter[T]) {
	if q == nil {
		return nil
	}
	for _, l := range q.lines {
		firsts = append(firsts, l.first())
	}
	return firsts
}

// Oldest returns the waiter whose call was made first; nil if there is none.
func (q *Queue[T]) Oldest() *Waiter[T] {
	var oldest *Waiter[T]
	for l := range q.lists() {
		if l.head != nil && (oldest == nil || l.head.Called < oldest.Called) {
			oldest = l.head
		}
	}
	return oldest
}

// Expired returns a waiter that has expired by now. If there is none, it returns nil and the time at which the next one
// may expire. It looks at the head of each list only, as waiters expire in the order of their calls.
func (q *Queue[T]) Expired(now int64) (expired *Waiter[T], next int64) {
	if q.expires > now {
		return nil, q.expires
	}
	q.expires = math.MaxInt64
	for l := range q.lists() {
		switch {
		case l.head == nil:
		case l.head.Expires <= now:
			q.expires = now // there may be more
			return l.head, now
		default:
			q.expires = min(q.expires, l.head.Expires)
		}
	}
	return nil, q.expires
}

// lists yields the lists of all lines.
func (q *Queue[T]) lists() iter.Seq[*list[T]] {
	return func(yield func(*list[T]) bool) {
		if q == nil {
			return
		}
		for _, l := range q.lines {
			for list := range l.lists() {
				if !yield(list) {
					return
				}
			}
		}
	}
}
