package headway

import (
	"time"

	"github.com/headway-go/headway/pacer"
)

// A waiter is one request in a partition's queue. The partition's lock guards
// it until decided is closed; from then on it belongs to the waiting request.
type waiter struct {
	called pacer.Instant // when RoundTrip was called
	bound  bound
	cost   int64
	resend bool // was sent before, and throttled

	decided   chan struct{} // closed once the request is granted or refused
	granted   bool
	ticket    pacer.Ticket  // when granted
	plan      pacer.Plan    // when refused: the start that came too late
	refusedAt pacer.Instant // when refused: the moment, which its wait counts from

	list       *waitList // nil: not queued
	prev, next *waiter
}

// A bound is the last moment at which a request may start, and why.
type bound struct {
	latest  pacer.Instant
	reason  error         // context.DeadlineExceeded or ErrMaxWait
	expires pacer.Instant // when MaxWait ends the wait, whatever is planned
}

// excludes reports whether the plan starts a request too late. A plan that
// rests on nothing the server told excludes no one.
func (b bound) excludes(plan pacer.Plan) bool { return plan.Known && plan.At > b.latest }

// A queue holds the waiters of one partition: those to be resent, which are
// all older, before those never sent, each in the order of their calls.
type queue struct {
	resends, fresh waitList
	timer          *time.Timer
	alarm          pacer.Instant // when timer fires
	planned        pacer.Instant // start of the first waiter, as last planned
	known          bool          // that rests on what a server told
	passing        bool          // a waiter was granted and has not passed on yet
}

// A waitList is a linked list of waiters, so that one may leave from anywhere.
type waitList struct {
	head, tail *waiter
	n          int
	cost       int64 // of all waiters together
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
	l.cost += w.cost
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
	l.cost -= w.cost
	w.list, w.prev, w.next = nil, nil, nil
}

func (q *queue) push(w *waiter) {
	if w.resend {
		q.resends.push(w)
	} else {
		q.fresh.push(w)
	}
}

// first returns the waiter whose turn it is, nil if there is none.
func (q *queue) first() *waiter {
	if q.resends.head != nil {
		return q.resends.head
	}
	return q.fresh.head
}

// ahead returns the cost of the waiters that a request joining now would
// have before it.
func (q *queue) ahead(resend bool) int64 {
	switch {
	case q == nil:
		return 0
	case resend:
		return q.resends.cost
	default:
		return q.resends.cost + q.fresh.cost
	}
}

// len returns the number of waiters.
func (q *queue) len() int {
	if q == nil {
		return 0
	}
	return q.resends.n + q.fresh.n
}

// all calls f for each waiter in turn. f may remove the waiter it is called with.
func (q *queue) all(f func(w *waiter)) {
	for _, l := range [...]*waitList{&q.resends, &q.fresh} {
		for w := l.head; w != nil; {
			next := w.next
			f(w)
			w = next
		}
	}
}

// expired returns a waiter whose MaxWait has passed, nil if there is none.
// Each list is in the order of calls, so of expiry as well.
func (q *queue) expired(now pacer.Instant) *waiter {
	for _, l := range [...]*waitList{&q.resends, &q.fresh} {
		if l.head != nil && l.head.bound.expires <= now {
			return l.head
		}
	}
	return nil
}

// expiry returns when the next waiter expires.
func (q *queue) expiry() pacer.Instant {
	at := pacer.Never
	for _, l := range [...]*waitList{&q.resends, &q.fresh} {
		if l.head != nil {
			at = min(at, l.head.bound.expires)
		}
	}
	return at
}
