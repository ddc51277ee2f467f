package queue

// A level holds the waiters of one rank in the order of their calls. It is a linked list, so that any of them can leave in
// constant time.
type level[T any] struct {
	rank       rank
	head, tail *Waiter[T]
	n          int
	cost       int64 // of all waiters together, in requests
	isMixed    bool  // a waiter may expire before one that was called earlier
}

// push inserts w in the order of calls. It searches from the end, as calls arrive nearly in order.
func (l *level[T]) push(w *Waiter[T]) {
	before := l.tail
	for before != nil && before.Called > w.Called {
		before = before.prev
	}
	w.prev = before
	if before == nil {
		w.next, l.head = l.head, w
	} else {
		w.next, before.next = before.next, w
	}
	if w.next == nil {
		l.tail = w
	} else {
		w.next.prev = w
	}
	l.n++
	l.cost += w.Requests
	l.isMixed = l.isMixed || w.prev != nil && w.prev.Expires > w.Expires || w.next != nil && w.next.Expires < w.Expires
}

// soonest returns the waiter that expires first. Mostly all have the same MaxWait, and that is the head.
func (l *level[T]) soonest() *Waiter[T] {
	soonest := l.head
	if l.isMixed {
		for w := l.head.next; w != nil; w = w.next {
			if w.Expires < soonest.Expires {
				soonest = w
			}
		}
	}
	return soonest
}

func (l *level[T]) remove(w *Waiter[T]) {
	if w.prev == nil {
		l.head = w.next
	} else {
		w.prev.next = w.next
	}
	if w.next == nil {
		l.tail = w.prev
	} else {
		w.next.prev = w.prev
	}
	l.n--
	l.cost -= w.Requests
	w.prev, w.next = nil, nil
}
