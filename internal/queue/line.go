package queue

import (
	"cmp"
	"iter"
	"slices"
)

// oldestEvery says that every eighth turn goes to the oldest waiter. With a smaller number priorities count for less, with
// a larger one low priorities wait longer.
const oldestEvery = 8

// A line holds the waiters of one kind: resends first, then the others by priority, and by their calls within a priority.
type line[T any] struct {
	kind    Kind
	resends list[T]
	fresh   []*level[T] // highest priority first, none empty
	turns   int         // grants, resends excepted, of waiters that use the limits of this line
	planned bool        // see Waiter.IsPlanned
}

// A level holds the waiters of one priority.
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

// level finds the level of a priority, or where it would be inserted.
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

// first returns the waiter whose turn it is. The line must not be empty.
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

// ahead returns the cost, in requests, of the waiters that go before one that joins now. It ignores the turns of the
// oldest.
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

// lists yields the lists of the line, in the order of their turns.
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
