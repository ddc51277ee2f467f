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

// oldestEvery is at which turn it is that of the waiter called first, so that none
// of a low priority waits for ever.
const oldestEvery = 8

// A queue holds the waiters of one partition: those to be resent before those
// never sent, and these by priority; equals in the order of their calls.
type queue struct {
	resends waitList
	fresh   []*level // highest priority first, none empty
	turns   int      // waiters never sent that were granted

	timer   *time.Timer
	alarm   pacer.Instant // when timer fires
	planned pacer.Instant // start of the first waiter, as last planned
	expires pacer.Instant // no waiter expires before
	known   bool          // that rests on what a server told
	passing bool          // a waiter was granted and has not passed on yet
}

// A level has the waiters of one priority.
type level struct {
	priority int
	waitList
}

func (q *queue) push(w *waiter) {
	q.expires = min(q.expires, w.bound.expires)
	if w.resend {
		q.resends.push(w)
		return
	}
	i, found := q.level(w.priority)
	if !found {
		q.fresh = slices.Insert(q.fresh, i, &level{priority: w.priority})
	}
	q.fresh[i].push(w)
}

// level is where the level of a priority is, or would be.
func (q *queue) level(priority int) (index int, found bool) {
	return slices.BinarySearchFunc(q.fresh, priority, func(l *level, priority int) int {
		return cmp.Compare(priority, l.priority)
	})
}

func (q *queue) remove(w *waiter) {
	list := w.list
	list.remove(w)
	if list.n == 0 && !w.resend {
		i, _ := q.level(w.priority)
		q.fresh = slices.Delete(q.fresh, i, i+1)
	}
}

// grant removes w, whose turn has come.
func (q *queue) grant(w *waiter) {
	q.remove(w)
	if !w.resend {
		q.turns++
	}
}

// first returns the waiter whose turn it is, nil if there is none.
func (q *queue) first() *waiter {
	switch {
	case q.resends.head != nil:
		return q.resends.head
	case len(q.fresh) == 0:
		return nil
	case q.turns%oldestEvery < oldestEvery-1:
		return q.fresh[0].head
	}
	oldest := q.fresh[0].head
	for _, l := range q.fresh[1:] {
		if l.head.called < oldest.called {
			oldest = l.head
		}
	}
	return oldest
}

// ahead returns the cost, in requests, of the waiters that a request joining now
// would have before it, but for the turns of the oldest.
func (q *queue) ahead(resend bool, priority int) int64 {
	if q == nil {
		return 0
	}
	cost := q.resends.cost
	if resend {
		return cost
	}
	for _, l := range q.fresh {
		if l.priority < priority {
			break
		}
		cost += l.cost
	}
	return cost
}

// len returns the number of waiters.
func (q *queue) len() int {
	n := 0
	for l := range q.lists() {
		n += l.n
	}
	return n
}

// lists are those of all waiters, in the order of their turns.
func (q *queue) lists() iter.Seq[*waitList] {
	return func(yield func(*waitList) bool) {
		if q == nil || !yield(&q.resends) {
			return
		}
		for _, l := range q.fresh {
			if !yield(&l.waitList) {
				return
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
