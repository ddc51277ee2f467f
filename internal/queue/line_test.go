package queue

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Resends go first, then higher priorities, but every eighth turn is that of the oldest.
func TestPriorities(t *testing.T) {
	q := newQueue()
	for at := range int64(10) {
		w := called(at)
		w.Priority = -1
		if at > 0 {
			w.Priority = int(at) % 3
		}
		q.Push(w, false)
	}
	resend := called(100)
	resend.Resend = true
	q.Push(resend, false)
	require.Equal(t, 11, q.Len())
	for _, row := range []struct {
		name     string
		resend   bool
		priority int
		ahead    int64
	}{
		{"a resend, whatever its priority", true, -5, 1},
		{"the lowest", false, -1, 1 + 10},
		{"equals are before it", false, 2, 1 + 3},
		{"the highest", false, 3, 1},
	} {
		w := called(1000)
		w.Resend, w.Priority = row.resend, row.priority
		require.Equal(t, row.ahead, q.Ahead(w), row.name)
	}
	require.Equal(t, []int64{100, 2, 5, 8, 1, 4, 7, 3, 0, 6, 9}, grantAll(t, &q, callOf))
	require.Empty(t, q.lines)
}

// A resend takes no turn: it is not a reason for the oldest to go sooner.
func TestResendsTakeNoTurn(t *testing.T) {
	q := newQueue()
	for at := range int64(7) {
		w := called(at)
		w.Resend = true
		q.Push(w, false)
	}
	low, high := called(10), called(11)
	high.Priority = 1
	q.Push(low, false)
	q.Push(high, false)
	require.Equal(t, []int64{0, 1, 2, 3, 4, 5, 6, 11, 10}, grantAll(t, &q, callOf))
}

// What costs more counts for more, and no more once it has gone.
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

// Levels come and go with their waiters, and stay in order.
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
		for _, l := range q.lines[0].fresh {
			all = append(all, l.priority)
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
