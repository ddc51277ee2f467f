package queue

// A level holds the waiters of one rank in the order of their calls. It is a linked list, so that any of them can leave in
// constant time.
type level[T any] struct {
	rank       rank
	head, tail *Waiter[T]
	n          int
	cost       int64 // of all waiters together, in requests
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
