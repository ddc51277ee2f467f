package headway

import (
	"cmp"
	"iter"
	"slices"

	"github.com/headway-go/headway/pacer"
)

// A kind is what waiters have in common that use the same limits.
type kind struct {
	route uint8
	free  uint8 // units of which they use nothing, a bit each
	key   string
}

// kindOf returns the kind of a request of that cost.
func (p *partition) kindOf(cost *pacer.Cost) kind {
	k := kind{route: max(cost.Route, 1)} // one that has no number is the first
	if p.pacer.Keyed() {
		k.key = cost.Key
	}
	if cost.Requests == 0 {
		k.free = 1
	}
	if cost.Others != nil {
		for i, n := range cost.Others {
			if n == 0 {
				k.free |= 2 << i
			}
		}
	}
	return k
}

// A line has the waiters of one kind: those to be resent before those never sent, and
// these by priority; equals in the order of their calls.
type line struct {
	kind    kind
	resends waitList
	fresh   []*level // highest priority first, none empty
	turns   int      // of those never sent that were granted, here or at limits of this line
	known   bool     // what is planned rests on what a server told
}

// A level has the waiters of one priority.
type level struct {
	priority int
	waitList
}

func (l *line) push(w *waiter) {
	w.line = l
	if w.resend {
		l.resends.push(w)
		return
	}
	i, found := l.level(w.priority)
	if !found {
		l.fresh = slices.Insert(l.fresh, i, &level{priority: w.priority})
	}
	l.fresh[i].push(w)
}

// level is where the level of a priority is, or would be.
func (l *line) level(priority int) (index int, found bool) {
	return slices.BinarySearchFunc(l.fresh, priority, func(l *level, priority int) int {
		return cmp.Compare(priority, l.priority)
	})
}

func (l *line) remove(w *waiter) {
	list := w.list
	list.remove(w)
	if list.n == 0 && !w.resend {
		i, _ := l.level(w.priority)
		l.fresh = slices.Delete(l.fresh, i, i+1)
	}
	w.line = nil
}

func (l *line) empty() bool { return l.resends.head == nil && len(l.fresh) == 0 }

// first returns the waiter whose turn it is. The line is not empty.
func (l *line) first() *waiter {
	if l.resends.head != nil {
		return l.resends.head
	}
	first := l.fresh[0].head
	if !l.oldestTurn() {
		return first
	}
	for _, level := range l.fresh[1:] {
		if level.head.called < first.called {
			first = level.head
		}
	}
	return first
}

// oldestTurn reports whether it is the turn of the one called first.
func (l *line) oldestTurn() bool { return l.turns%oldestEvery == oldestEvery-1 }

// ahead returns the cost, in requests, of the waiters that a request joining now
// would have before it, but for the turns of the oldest.
func (l *line) ahead(resend bool, priority int) int64 {
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

// lists are those of all waiters, in the order of their turns.
func (l *line) lists() iter.Seq[*waitList] {
	return func(yield func(*waitList) bool) {
		if !yield(&l.resends) {
			return
		}
		for _, level := range l.fresh {
			if !yield(&level.waitList) {
				return
			}
		}
	}
}
