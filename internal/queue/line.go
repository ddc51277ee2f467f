package queue

import "slices"

// oldestEvery says that every eighth turn goes to the oldest waiter. With a smaller number priorities count for less, with
// a larger one low priorities wait longer.
const oldestEvery = 8

// A line holds the waiters of one kind.
type line[T any] struct {
	kind    Kind
	levels  []*level[T] // in the order of their ranks, none empty
	turns   int         // grants, resends excepted, of waiters that use the limits of this line
	planned bool        // see Waiter.IsPlanned
}

func (l *line[T]) push(w *Waiter[T]) {
	w.line = l
	i, found := l.find(w.rank())
	if !found {
		l.levels = slices.Insert(l.levels, i, &level[T]{rank: w.rank()})
	}
	l.levels[i].push(w)
}

func (l *line[T]) remove(w *Waiter[T]) {
	w.line = nil
	i, _ := l.find(w.rank())
	if l.levels[i].remove(w); l.levels[i].n == 0 {
		l.levels = slices.Delete(l.levels, i, i+1)
	}
}

// find finds the level of a rank, or where it would be inserted.
func (l *line[T]) find(r rank) (index int, found bool) {
	return slices.BinarySearchFunc(l.levels, r, func(l *level[T], r rank) int { return l.rank.compare(r) })
}

// first returns the waiter whose turn it is. The line must not be empty.
func (l *line[T]) first() *Waiter[T] {
	first := l.levels[0].head
	if first.Resend || !l.isOldestTurn() {
		return first
	}
	for _, level := range l.levels[1:] {
		if level.head.Called < first.Called {
			first = level.head
		}
	}
	return first
}

func (l *line[T]) isOldestTurn() bool { return l.turns%oldestEvery == oldestEvery-1 }

// ahead returns the cost, in requests, of the waiters that go before one of that rank that joins now. It ignores the turns
// of the oldest.
func (l *line[T]) ahead(r rank) (cost int64) {
	for _, level := range l.levels {
		if level.rank.compare(r) > 0 {
			break
		}
		cost += level.cost
	}
	return cost
}

func (l *line[T]) len() (n int) {
	for _, level := range l.levels {
		n += level.n
	}
	return n
}
