package queue

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNilQueueIsEmpty(t *testing.T) {
	var q *Queue[sketch]
	require.True(t, q.IsEmpty())
	require.Zero(t, q.Len())
	require.Zero(t, q.Using(limitA))
	require.Zero(t, q.Ahead(called(1)))
	require.Nil(t, q.Oldest())
	require.Empty(t, q.Firsts())
	q.Unplan()
	q.Each(func(*Waiter[sketch], int64) bool { panic("nobody waits") })
}

func TestCounts(t *testing.T) {
	q := newQueue()
	oldest := named("a", 1, limitA, 1)
	oldest.Priority = -1
	q.Push(named("a", 1, limitA, 2), false)
	q.Push(oldest, false)
	q.Push(named("b", 2, limitB, 3), false)
	require.False(t, q.IsEmpty())
	require.Equal(t, 2, q.Using(limitA))
	require.Equal(t, 1, q.Using(limitB))
	require.Equal(t, 3, q.Using(limitA|limitB))
	require.Same(t, oldest, q.Oldest())
	var firsts []int64
	for _, w := range q.Firsts() {
		firsts = append(firsts, w.Called)
	}
	require.ElementsMatch(t, []int64{2, 3}, firsts)
}

func TestExpired(t *testing.T) {
	q := newQueue()
	add := func(at, expires int64, priority int) *Waiter[sketch] {
		w := called(at)
		w.Expires, w.Priority = expires, priority
		q.Push(w, false)
		return w
	}
	later, sooner := add(2, 12, 1), add(1, 11, 0)
	expired := func(now int64) (*Waiter[sketch], int64) {
		w, next := q.Expired(now)
		if w != nil {
			q.Remove(w)
		}
		return w, next
	}
	w, next := expired(10)
	require.Nil(t, w)
	require.EqualValues(t, 11, next)
	earliest := add(3, 10, 2)
	w, _ = expired(10)
	require.Same(t, earliest, w, "it came after the others were looked at")
	w, _ = expired(12)
	require.Contains(t, []*Waiter[sketch]{sooner, later}, w)
	w, _ = expired(12)
	require.Contains(t, []*Waiter[sketch]{sooner, later}, w)
	w, next = expired(12)
	require.Nil(t, w)
	require.Equal(t, int64(math.MaxInt64), next)
}

// A waiter that has less patience than an earlier one of its rank does not outlast its time behind that one.
func TestExpiredBehindALongerWait(t *testing.T) {
	q := newQueue()
	var all []*Waiter[sketch]
	for i, expires := range []int64{100, 20, 30, 10} {
		w := called(int64(i))
		w.Expires = expires
		q.Push(w, false)
		all = append(all, w)
	}
	for _, want := range []*Waiter[sketch]{all[3], all[1], all[2], all[0]} {
		w, next := q.Expired(want.Expires - 1)
		require.Nil(t, w)
		require.Equal(t, want.Expires, next)
		w, _ = q.Expired(want.Expires)
		require.Same(t, want, w)
		q.Remove(w)
	}
}

// The same for one that joins before a waiter whose call was made later.
func TestExpiredBehindALateJoiner(t *testing.T) {
	q := newQueue()
	impatient, patient := called(2), called(1)
	impatient.Expires, patient.Expires = 10, 100
	q.Push(impatient, false)
	q.Push(patient, false)
	w, _ := q.Expired(10)
	require.Same(t, impatient, w)
}

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
