package queue

import "slices"

// maxLines bounds the lines of a queue, because servers and callers choose how many kinds of requests there
// are. Waiters of further kinds stand behind others of their route, if there are any.
const maxLines = 64

// A Queue has the requests that wait for one partition. A nil Queue is empty. It is not safe for
// concurrent use.
type Queue[T any] struct {
	uses    func(*Waiter[T]) Set
	lines   []*line[T] // none empty
	firsts  []*Waiter[T]
	expires int64 // no waiter expires before
}

// Make returns an empty queue. uses tells the limits that a waiter uses as far as is known now, Everything
// included unless nothing at all keeps it back. What it tells of a waiter may change from call to call.
func Make[T any](uses func(*Waiter[T]) Set) Queue[T] { return Queue[T]{uses: uses} }

// Push queues w. planned says that its start was planned by what a server told; see
// Waiter.IsPlanned.
func (q *Queue[T]) Push(w *Waiter[T], planned bool) {
	q.expires = min(q.expires, w.Expires)
	q.line(w.Kind, planned).push(w)
}

// line returns the line for a kind.
func (q *Queue[T]) line(k Kind, planned bool) *line[T] {
	other := -1
	for i, l := range q.lines {
		if l.kind == k {
			return l
		}
		if l.kind.Route == k.Route && l.kind.Free == k.Free {
			other = i
		}
	}
	if len(q.lines) >= maxLines && other >= 0 {
		return q.lines[other]
	}
	l := &line[T]{kind: k, planned: planned}
	q.lines = append(q.lines, l)
	return l
}

// Remove takes w, which is queued, out of the queue.
func (q *Queue[T]) Remove(w *Waiter[T]) {
	l := w.line
	if l.remove(w); l.isEmpty() {
		q.lines = slices.DeleteFunc(q.lines, func(other *line[T]) bool { return other == l })
	}
}

// Grant takes w out of the queue because it goes. Unless it is a resend, that counts as a turn of all lines whose
// waiters use the limits that it takes from.
func (q *Queue[T]) Grant(w *Waiter[T]) {
	if !w.Resend {
		for l := range q.meeting(w) {
			l.turns++
		}
	}
	q.Remove(w)
}

// Next asks each waiter that may be next, in the order of their turns, for the limits that it waits for, until one
// answers stop. A waiter that uses a limit that one asked before it waits for is not asked: it does not
// pass. Only the one that stops may be removed, and only others of its line may be changed.
func (q *Queue[T]) Next(ask func(*Waiter[T]) (waitsFor Set, stop bool)) {
	var taken Set
	for _, w := range q.order() {
		if taken != 0 && taken&q.uses(w) != 0 {
			continue
		}
		waitsFor, stop := ask(w)
		if stop {
			return
		}
		taken |= waitsFor
	}
}

// order returns the first of each line, in the order of their turns. It is valid until the queue changes.
func (q *Queue[T]) order() []*Waiter[T] {
	q.firsts = q.firsts[:0]
	for _, l := range q.lines {
		q.firsts = append(q.firsts, l.first())
	}
	if len(q.firsts) > 1 {
		slices.SortStableFunc(q.firsts, (*Waiter[T]).turn)
	}
	return q.firsts
}

// Unplan says that what a server told counts no more: no line is planned until it is so again.
func (q *Queue[T]) Unplan() {
	if q == nil {
		return
	}
	for _, l := range q.lines {
		l.planned = false
	}
}
