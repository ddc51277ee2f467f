package queue

// A list is a linked list of waiters, so that any of them can leave in constant time.
type list[T any] struct {
	head, tail *Waiter[T]
	n          int
	cost       int64 // of all waiters together, in requests
}

// push inserts w in the order of calls. It searches from the end, as calls arrive nearly in order.
func (l *list[T]) push(w *Waiter[T]) {
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

func (l *list[T]) remove(w *Waiter[T]) {
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
