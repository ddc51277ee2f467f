package queue

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// A sketch describes a waiter: its name, and the limits that it uses.
type sketch struct {
	name string
	uses Set
}

const (
	limitA Set = 1 << iota
	limitB
)

// newQueue returns a queue whose waiters name the limits that they use.
func newQueue() Queue[sketch] {
	return Make(func(w *Waiter[sketch]) Set { return w.Value.uses | Everything })
}

// called returns a waiter whose call was made at that time. It costs one request.
func called(at int64) *Waiter[sketch] {
	return &Waiter[sketch]{Called: at, Expires: math.MaxInt64, Requests: 1}
}

// named returns a waiter of a separate kind: a route that uses these limits.
func named(name string, route uint8, uses Set, at int64) *Waiter[sketch] {
	w := called(at)
	w.Value, w.Kind = sketch{name, uses}, Kind{Route: route}
	return w
}

// next returns the first waiter for which Next calls ask.
func (q *Queue[T]) next() (first *Waiter[T]) {
	q.Next(func(w *Waiter[T]) (Set, bool) {
		first = w
		return 0, true
	})
	return first
}

// grantAll grants all waiters in the order of their turns, and returns their names.
func grantAll[T, N any](t *testing.T, q *Queue[T], name func(*Waiter[T]) N) (turns []N) {
	t.Helper()
	for !q.IsEmpty() {
		w := q.next()
		q.Grant(w)
		require.False(t, w.IsQueued())
		turns = append(turns, name(w))
	}
	return turns
}

func callOf(w *Waiter[sketch]) int64 { return w.Called }

func nameOf(w *Waiter[sketch]) string { return w.Value.name }
