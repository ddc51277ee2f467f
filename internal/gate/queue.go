package gate

import (
	"cmp"
	"iter"
	"slices"
	"sort"

	"github.com/headway-go/headway/pacer"
)

// A queue holds the requests that wait for a partition. It decides which of them is next, and which may overtake which.
//
// Throttled requests that are sent again go first, then those of a higher priority, then earlier calls. Every eighth turn
// goes to the oldest waiter, so that a low priority does not wait for ever.
//
// Waiters that use the same limits stand in one line. The first waiter of a line may overtake the first of another line,
// unless it uses a limit for which the other one waits. Example: a request that waits for tokens is overtaken by a request
// that uses none.
type queue struct {
	uses  func(*waiter) pacer.LimitSet // which may change from call to call
	lines []*line                      // none empty
	order []*waiter                    // the last result of firsts, whose memory the next one uses

	expires pacer.Instant // no waiter's MaxWait is over before
}

// A kind identifies requests that use the same limits.
type kind struct {
	route uint8 // the number of the route
	free  uint8 // the quota units of which the request uses nothing, one bit each
}

// push queues w. planned says that the plan of its start rests on a server's report; see line.
func (q *queue) push(w *waiter, planned bool) {
	l := q.line(w.kind, planned)
	w.line = l
	l.waiters = slices.Insert(l.waiters, l.place(w), w)
	l.cost += w.cost.Requests
	q.expires = min(q.expires, w.bound.expires())
}

// line returns the line of a kind, and makes it if there is none.
func (q *queue) line(k kind, planned bool) *line {
	for _, l := range q.lines {
		if l.kind == k {
			return l
		}
	}
	l := &line{kind: k, planned: planned}
	q.lines = append(q.lines, l)
	return l
}

// remove removes w, which must be queued.
func (q *queue) remove(w *waiter) {
	l := w.line
	w.line = nil
	l.cost -= w.cost.Requests
	i, _ := slices.BinarySearchFunc(l.waiters, w, (*waiter).before)
	i += slices.Index(l.waiters[i:], w) // others may have been called at the same time
	if i > 0 {
		l.waiters = slices.Delete(l.waiters, i, i+1)
	} else { // most leave from here, and the others need not move up
		l.waiters[0] = nil
		l.waiters = l.waiters[1:]
	}
	if len(l.waiters) == 0 {
		q.lines = slices.DeleteFunc(q.lines, func(other *line) bool { return other == l })
	}
	if q.isEmpty() {
		clear(q.order)          // an idle partition keeps no request
		q.expires = pacer.Never // no timer is to wait for it
	}
}

// grant removes w, which may go. Unless w is a resend, that counts as a turn of all lines that use the same limits.
func (q *queue) grant(w *waiter) {
	if !w.resend {
		for l := range q.meeting(w) {
			l.turns++
		}
	}
	q.remove(w)
}

// meeting yields the lines that share a limit with w.
func (q *queue) meeting(w *waiter) iter.Seq[*line] {
	return func(yield func(*line) bool) {
		limits := q.limits(w)
		for _, l := range q.lines {
			if (l.kind == w.kind || l == w.line || meet(limits, q.limits(l.first()))) && !yield(l) {
				return
			}
		}
	}
}

// limits is the set of limits that a waiter uses, without Everything.
func (q *queue) limits(w *waiter) pacer.LimitSet { return q.uses(w) &^ pacer.Everything }

// meet reports whether waiters that use these limits share one. Waiters without known limits share all.
func meet(a, b pacer.LimitSet) bool { return a&b != 0 || a == 0 && b == 0 }

// ahead returns the cost, in requests, of the waiters that would go before w if it joined now, as far as they use the same
// limits. It ignores the turns of the oldest.
func (q *queue) ahead(w *waiter) (cost int64) {
	for l := range q.meeting(w) {
		cost += l.cost
		for _, behind := range l.waiters[l.place(w):] {
			cost -= behind.cost.Requests
		}
	}
	return cost
}

// firsts returns the first waiter of each line, in the order of their turns. The result is valid until the next call.
func (q *queue) firsts() []*waiter {
	q.order = q.order[:0]
	for _, l := range q.lines {
		q.order = append(q.order, l.first())
	}
	slices.SortStableFunc(q.order, func(a, b *waiter) int {
		mine, theirs := a.line.isOldestTurn(), b.line.isOldestTurn()
		switch {
		case a.resend || b.resend || !mine && !theirs:
			return a.before(b)
		case mine && theirs:
			return cmp.Compare(a.called, b.called)
		case mine:
			return -1
		}
		return 1
	})
	return q.order
}

// sift visits all waiters in their order, ignoring the turns of the oldest, and removes those that do not stay. ahead is
// the cost, in requests, of the waiters that stay before w and use the same limits. Afterwards all lines are planned.
func (q *queue) sift(stays func(w *waiter, ahead int64) bool) {
	type before struct {
		limits pacer.LimitSet
		cost   int64
	}
	lines := make(map[*line]*before, len(q.lines))
	var waiters []*waiter
	for _, l := range q.lines {
		lines[l] = &before{limits: q.limits(l.first())}
		l.planned = true
		waiters = append(waiters, l.waiters...)
	}
	if len(lines) > 1 { // one line is in order
		slices.SortStableFunc(waiters, (*waiter).before)
	}
	for _, w := range waiters {
		own := lines[w.line]
		if !stays(w, own.cost) {
			q.remove(w)
			continue
		}
		for _, other := range lines {
			if other == own || meet(own.limits, other.limits) {
				other.cost += w.cost.Requests
			}
		}
	}
}

// expired returns the waiters whose MaxWait is over.
func (q *queue) expired(now pacer.Instant) (expired []*waiter) {
	if q.expires > now {
		return nil
	}
	q.expires = pacer.Never
	for _, l := range q.lines {
		for _, w := range l.waiters {
			if at := w.bound.expires(); at <= now {
				expired = append(expired, w)
			} else {
				q.expires = min(q.expires, at)
			}
		}
	}
	return expired
}

func (q *queue) isEmpty() bool { return len(q.lines) == 0 }

func (q *queue) len() (n int) {
	for _, l := range q.lines {
		n += len(l.waiters)
	}
	return n
}

// using returns the number of waiters that use a limit.
func (q *queue) using(limit pacer.LimitSet) (n int) {
	for _, l := range q.lines {
		if q.limits(l.first())&limit != 0 {
			n += len(l.waiters)
		}
	}
	return n
}

// oldest returns the waiter whose call was made first; nil if there is none.
func (q *queue) oldest() (oldest *waiter) {
	for _, l := range q.lines {
		if w := l.oldest(); oldest == nil || w.called < oldest.called {
			oldest = w
		}
	}
	return oldest
}

// oldestEvery says that every eighth turn goes to the oldest waiter. With a smaller number priorities count for less, with
// a larger one low priorities wait longer.
const oldestEvery = 8

// A line holds the waiters of one kind.
type line struct {
	kind    kind
	waiters []*waiter // in the order of before
	cost    int64     // of all waiters together, in requests
	turns   int       // grants, resends excepted, of waiters that use the limits of this line
	planned bool      // the plans of its waiters rest on a server's report: since the first push, or since sift
}

// place is where w stands once it joins, behind others that were called at the same time.
func (l *line) place(w *waiter) int {
	i, _ := slices.BinarySearchFunc(l.waiters, w, func(other, w *waiter) int {
		if other.before(w) > 0 {
			return 1
		}
		return -1
	})
	return i
}

// compareRank is negative if w goes before other, whenever they were called, and 0 if the times of their calls decide.
// Resends go in the order of their calls.
func (w *waiter) compareRank(other *waiter) int {
	switch {
	case w.resend && other.resend:
		return 0
	case w.resend:
		return -1
	case other.resend:
		return 1
	}
	return cmp.Compare(other.priority, w.priority)
}

// before is negative if w goes before other. It ignores the turns of the oldest.
func (w *waiter) before(other *waiter) int {
	return cmp.Or(w.compareRank(other), cmp.Compare(w.called, other.called))
}

func (l *line) isOldestTurn() bool { return l.turns%oldestEvery == oldestEvery-1 }

// first returns the waiter whose turn it is. The line must not be empty.
func (l *line) first() *waiter {
	if l.waiters[0].resend || !l.isOldestTurn() {
		return l.waiters[0]
	}
	return l.oldest()
}

// oldest returns the waiter whose call was made first. That is the first one of a rank.
func (l *line) oldest() *waiter {
	oldest := l.waiters[0]
	for rest := l.waiters; len(rest) > 0; {
		head := rest[0]
		if head.called < oldest.called {
			oldest = head
		}
		rest = rest[sort.Search(len(rest), func(i int) bool { return rest[i].compareRank(head) > 0 }):]
	}
	return oldest
}
