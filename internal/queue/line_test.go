package queue

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The cost of a waiter counts until it is removed.
func TestCostAhead(t *testing.T) {
	q := newQueue()
	costly := called(1)
	costly.Requests = 20
	q.Push(costly, false)
	q.Push(called(2), false)
	require.EqualValues(t, 21, q.Ahead(called(3)))
	q.Remove(costly)
	require.EqualValues(t, 1, q.Ahead(called(3)))
}

// Levels exist while they have waiters, and stay in order.
func TestLevels(t *testing.T) {
	q := newQueue()
	var waiters []*Waiter[sketch]
	for i, priority := range []int{0, 5, -5, 3, 5} {
		w := called(int64(i))
		w.Priority = priority
		waiters = append(waiters, w)
		q.Push(w, false)
	}
	priorities := func() (all []int) {
		for _, l := range q.lines[0].levels {
			all = append(all, l.rank.priority)
		}
		return all
	}
	require.Equal(t, []int{5, 3, 0, -5}, priorities())
	q.Remove(waiters[3])
	q.Remove(waiters[1])
	require.Equal(t, []int{5, 0, -5}, priorities(), "one of two has left")
	q.Remove(waiters[4])
	require.Equal(t, []int{0, -5}, priorities())
	require.Equal(t, []int64{0, 2}, grantAll(t, &q, callOf))
}
