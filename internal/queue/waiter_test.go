package queue

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Resends go first, then higher priorities. Every eighth turn goes to the oldest waiter.
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

// A resend does not count as a turn, so it does not bring the turn of the oldest nearer.
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

// Lines that share a limit take turns by priority, and every eighth turn goes to the oldest waiter of these lines. Lines
// that share no limit have separate turns.
func TestTurnsOfLinesThatShareALimit(t *testing.T) {
	q := newQueue()
	for i := range int64(60) {
		w := named("low", 1, limitA, i)
		if i >= 30 {
			w = named("high", 2, limitA, i)
			w.Priority = 5
		}
		q.Push(w, false)
	}
	alone := named("alone", 3, limitB, 1000)
	q.Push(alone, false)
	for turn := range 24 {
		w := q.next()
		want := "high"
		if turn%oldestEvery == oldestEvery-1 {
			want = "low"
		}
		require.Equal(t, want, w.Value.name, turn)
		q.Grant(w)
	}
	require.Zero(t, alone.line.turns)
}

// If two lines are at the turn of the oldest, the older of their first waiters goes, regardless of priority.
func TestTurnsOfTheOldestInTwoLines(t *testing.T) {
	q := newQueue()
	for i := range int64(4 * oldestEvery) {
		w := named("a", 1, limitA, 2*i)
		if i%2 == 1 {
			w = named("b", 2, limitA, 2*i)
			w.Priority = 1
		}
		q.Push(w, false)
	}
	turns := grantAll(t, &q, nameOf)
	require.Equal(t, "bbbbbbbabbbbbbbab", strings.Join(turns[:17], ""))
}

// A resend goes before the waiters of all lines. Resends go in the order of their calls.
func TestResendsOfTwoLines(t *testing.T) {
	q := newQueue()
	fresh := named("fresh", 1, limitA, 1)
	fresh.Priority = 100
	early, late := named("early", 2, limitA, 2), named("late", 3, limitA, 3)
	early.Resend, late.Resend = true, true
	q.Push(fresh, false)
	q.Push(late, false)
	q.Push(early, false)
	require.Equal(t, []string{"early", "late", "fresh"}, grantAll(t, &q, nameOf))
}
