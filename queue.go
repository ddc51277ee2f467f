package headway

import (
	"cmp"
	"iter"
	"slices"
	"time"

	"github.com/headway-go/headway/pacer"
)

// A waiter is one request in a partition's queue. The partition's lock guards
// it until decided is closed; from then on it belongs to the waiting request.
type waiter struct {
	called   pacer.Instant // when RoundTrip was called
	bound    bound
	cost     pacer.Cost
	priority int
	resend   bool // was sent before, and throttled

	decided   chan struct{} // closed once the request is granted or refused
	granted   bool
	ticket    pacer.Ticket  // when granted
	plan      pacer.Plan    // when refused: the start that came too late
	refusedAt pacer.Instant // when refused: the moment, which its wait counts from

	line       *line     // nil: not queued
	list       *waitList // of the line
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

const (
	// oldestEvery is at which turn it is that of the waiter called first, so that none
	// of a low priority waits for ever.
	oldestEvery = 8
	// maxLines bounds how many lines a queue has: those who come later stand behind
	// others of their route, if there are any.
	maxLines = 64
)

// A queue holds the waiters of one partition, in a line for each kind of them: where
// the first of one line has to wait for a limit, those of others that do not use this
// limit go before it.
type queue struct {
	lines  []*line   // none empty
	firsts []*waiter // see order

	timer   *time.Timer
	alarm   pacer.Instant // when timer fires
	expires pacer.Instant // no waiter expires before
	passing bool          // a waiter was granted and has not passed on yet
}

// push queues w, which is of that kind and whose start is planned like that.
func (q *queue) push(w *waiter, k kind, plan pacer.Plan) {
	q.expires = min(q.expires, w.bound.expires)
	q.line(k, plan.Known).push(w)
}

// line returns that of a kind.
func (q *queue) line(k kind, known bool) *line {
	other := -1
	for i, l := range q.lines {
		if l.kind == k {
			return l
		}
		if l.kind.route == k.route && l.kind.free == k.free {
			other = i
		}
	}
	if len(q.lines) >= maxLines && other >= 0 {
		return q.lines[other]
	}
	l := &line{kind: k, known: known}
	q.lines = append(q.lines, l)
	return l
}

func (q *queue) remove(w *waiter) {
	l := w.line
	if l.remove(w); l.empty() {
		q.lines = slices.DeleteFunc(q.lines, func(other *line) bool { return other == l })
	}
}

// order returns the first of each line, in the order of their turns. They are valid
// until the queue changes.
func (q *queue) order() []*waiter {
	q.firsts = q.firsts[:0]
	for _, l := range q.lines {
		q.firsts = append(q.firsts, l.first())
	}
	if len(q.firsts) > 1 {
		slices.SortStableFunc(q.firsts, compareTurns)
	}
	return q.firsts
}

// compareTurns says which of the first of two lines goes first: by priority, unless it
// is the turn of the oldest.
func compareTurns(a, b *waiter) int {
	if !a.resend && !b.resend && a.line.oldestTurn() != b.line.oldestTurn() {
		if a.line.oldestTurn() {
			return -1
		}
		return 1
	}
	if a.line.oldestTurn() && !a.resend && !b.resend {
		return cmp.Compare(a.called, b.called)
	}
	return compareWaiters(a, b)
}

// compareWaiters says which of two waiters goes first, but for the turns of the oldest.
func compareWaiters(a, b *waiter) int {
	switch {
	case a.resend && !b.resend:
		return -1
	case b.resend && !a.resend:
		return 1
	case a.resend || a.priority == b.priority:
		return cmp.Compare(a.called, b.called)
	}
	return cmp.Compare(b.priority, a.priority)
}

// len returns the number of waiters.
func (q *queue) len() int {
	n := 0
	for l := range q.lists() {
		n += l.n
	}
	return n
}

// oldest returns the waiter that was called first; nil if there is none.
func (q *queue) oldest() *waiter {
	var oldest *waiter
	for l := range q.lists() {
		if l.head != nil && (oldest == nil || l.head.called < oldest.called) {
			oldest = l.head
		}
	}
	return oldest
}

// lists are those of all waiters.
func (q *queue) lists() iter.Seq[*waitList] {
	return func(yield func(*waitList) bool) {
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

// all returns all waiters in the order of their turns, but for the turns of the
// oldest.
func (q *queue) all() []*waiter {
	all := make([]*waiter, 0, q.len())
	for l := range q.lists() {
		for w := l.head; w != nil; w = w.next {
			all = append(all, w)
		}
	}
	if len(q.lines) > 1 {
		slices.SortStableFunc(all, compareWaiters)
	}
	return all
}

// expired returns a waiter whose MaxWait has passed, nil if there is none.
// Each list is in the order of calls, so of expiry as well.
func (q *queue) expired(now pacer.Instant) *waiter {
	if q.expires > now {
		return nil
	}
	q.expires = pacer.Never
	for l := range q.lists() {
		switch {
		case l.head == nil:
		case l.head.bound.expires <= now:
			q.expires = now // there may be more
			return l.head
		default:
			q.expires = min(q.expires, l.head.bound.expires)
		}
	}
	return nil
}
