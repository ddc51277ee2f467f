package queue

import (
	"iter"
	"math"
)

// This file answers questions about who waits.

// IsEmpty reports whether nothing waits.
func (q *Queue[T]) IsEmpty() bool { return q == nil || len(q.lines) == 0 }

// Len returns the number of waiters.
func (q *Queue[T]) Len() int {
	n := 0
	for l := range q.lists() {
		n += l.n
	}
	return n
}

// Using returns the number of waiters that use one of these limits.
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

// Firsts returns the first of each line, in no order.
func (q *Queue[T]) Firsts() (firsts []*Waiter[T]) {
	if q == nil {
		return nil
	}
	for _, l := range q.lines {
		firsts = append(firsts, l.first())
	}
	return firsts
}

// Oldest returns the waiter that was called first; nil if there is none.
func (q *Queue[T]) Oldest() *Waiter[T] {
	var oldest *Waiter[T]
	for l := range q.lists() {
		if l.head != nil && (oldest == nil || l.head.Called < oldest.Called) {
			oldest = l.head
		}
	}
	return oldest
}

// Expired returns a waiter that has expired by now; nil if there is none, and then the time at which the next one
// may expire. Each list is in the order of calls, so of expiry as well.
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

// lists yields the lists of all waiters.
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
