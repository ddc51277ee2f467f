package queue

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Ahead counts only waiters that use the same limits. Waiters without known limits share all.
func TestAheadAtTheSameLimits(t *testing.T) {
	q := newQueue()
	q.Push(named("a", 1, limitA, 1), false)
	q.Push(named("a", 1, limitA, 2), false)
	q.Push(named("b", 2, limitB, 3), false)
	q.Push(named("unknown", 4, 0, 4), false)
	for _, row := range []struct {
		name string
		w    *Waiter[sketch]
		want int64
	}{
		{"of its kind", named("", 1, limitA, 9), 2},
		{"of another kind, with the same limit", named("", 3, limitA, 9), 2},
		{"with both", named("", 3, limitA|limitB, 9), 3},
		{"with neither", named("", 3, limitB<<1, 9), 0},
		{"with none that is known", named("", 3, 0, 9), 1},
	} {
		require.Equal(t, row.want, q.Ahead(row.w), row.name)
	}
}

// Each visits all waiters in their order with the cost before them, and removes those that do not stay.
func TestEach(t *testing.T) {
	q := newQueue()
	leaving := named("a2", 1, limitA, 2)
	urgent := named("b2", 2, limitB, 5)
	urgent.Priority = 1
	for _, w := range []*Waiter[sketch]{
		named("a1", 1, limitA, 1), leaving, named("b1", 2, limitB, 3), named("both", 3, limitA|limitB, 4), urgent,
	} {
		q.Push(w, false)
		require.False(t, w.IsPlanned())
	}
	type visited struct {
		name  string
		ahead int64
	}
	var visits []visited
	q.Each(func(w *Waiter[sketch], ahead int64) bool {
		visits = append(visits, visited{w.Value.name, ahead})
		return w != leaving
	})
	require.Equal(t, []visited{{"b2", 0}, {"a1", 0}, {"a2", 1}, {"b1", 1}, {"both", 3}}, visits)
	require.False(t, leaving.IsQueued())
	require.True(t, urgent.IsPlanned())
	require.Equal(t, 4, q.Len())
}
