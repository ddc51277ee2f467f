package headway

// A waitList is a linked list of waiters, so that one may leave from anywhere.
type waitList struct {
	head, tail *waiter
	n          int
	cost       int64 // of all waiters together, in requests
}

// push puts w behind all waiters that were called no later. They come nearly
// in order, so the place is found at or near the end.
func (l *waitList) push(w *waiter) {
	before := l.tail
	for before != nil && before.called > w.called {
		before = before.prev
	}
	w.list, w.prev = l, before
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
	l.cost += w.cost.Requests
}

func (l *waitList) remove(w *waiter) {
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
	l.cost -= w.cost.Requests
	w.list, w.prev, w.next = nil, nil, nil
}
