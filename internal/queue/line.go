package queue

import (
	"cmp"
	"iter"
	"slices"
)

// oldestEvery is which turn is that of the waiter called first: a smaller number wastes more of the priorities, a
// larger one has low priorities wait longer.
const oldestEvery = 8

// A line has the waiters of one kind: resends first, then the others by priority, equals in the order of their
// calls.
type line[T any] struct {
	kind    Kind
	resends list[T]
	fresh   []*level[T] // highest priority first, none empty
	turns   int         // grants of waiters that were never sent, here or at limits of this line
	planned bool
}

// A level has the waiters of one priority.
type level[T any] struct {
	priority int
	list[T]
}

func (l *line[T]) push(w *Waiter[T]) {
	w.line = l
	if w.Resend {
		l.resends.push(w)
		return
	}
	i, found := l.level(w.Priority)
	if !found {
		l.fresh = slices.Insert(l.fresh, i, &level[T]{priority: w.Priority})
	}
	l.fresh[i].push(w)
}

// level is where the level of a priority is, or would be.
func (l *line[T]) level(priority int) (index int, found bool) {
	return slices.BinarySearchFunc(l.fresh, priority, func(l *level[T], priority int) int {
		return cmp.Compare(priority, l.priority)
	})
}

func (l *line[T]) remove(w *Waiter[T]) {
	w.line = nil
	if w.Resend {
		l.resends.remove(w)
		return
	}
	i, _ := l.level(w.Priority)
	if l.fresh[i].remove(w); l.fresh[i].n == 0 {
		l.fresh = slices.Delete(l.fresh, i, i+1)
	}
}

func (l *line[T]) isEmpty() bool { return l.resends.head == nil && len(l.fresh) == 0 }

func (l *line[T]) len() (n int) {
	for list := range l.lists() {
		n += list.n
	}
	return n
}

// first returns the waiter whose turn it is. The line is not empty.
func (l *line[T]) first() *Waiter[T] {
	if l.resends.head != nil {
		return l.resends.head
	}
	first := l.fresh[0].head
	if !l.isOldestTurn() {
		return first
	}
	for _, level := range l.fresh[1:] {
		if level.head.Called < first.Called {
			first = level.head
		}
	}
	return first
}

func (l *line[T]) isOldestTurn() bool { return l.turns%oldestEvery == oldestEvery-1 }

// ahead returns the cost, in requests, of the waiters that one joining now would have before it, but for the
// turns of the oldest.
func (l *line[T]) ahead(resend bool, priority int) int64 {
	cost := l.resends.cost
	if resend {
		return cost
	}
	for _, level := range l.fresh {
		if level.priority < priority {
			break
		}
		cost += level.cost
	}
	return cost
}

// lists yields the lists of all waiters, in the order of their turns.
func (l *line[T]) lists() iter.Seq[*list[T]] {
	return func(yield func(*list[T]) bool) {
		if !yield(&l.resends) {
			return
		}
		for _, level := range l.fresh {
			if !yield(&level.list) {
				return
			}
		}
	}
}
