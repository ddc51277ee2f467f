package queue

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	limitA Set = 1 << iota
	limitB
)

// Who may pass whom: the first of a line passes that of another one unless it uses what the other one waits for.
func TestWhoMayPass(t *testing.T) {
	for _, row := range []struct {
		name     string
		first    Set // what the one that is first uses
		waitsFor Set
		second   Set
		passes   bool
	}{
		{"the same limit", limitA, limitA, limitA, false},
		{"another limit", limitA, limitA, limitB, true},
		{"of two limits one is waited for", limitA, limitA, limitA | limitB, false},
		{"of two limits the other one is waited for", limitA | limitB, limitB, limitA, true},
		{"what keeps back all alike", limitA, Everything, limitB, false},
		{"nothing that others may take", limitA, 0, limitA, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			q := newQueue()
			first, second := named("first", 1, row.first, 1), named("second", 2, row.second, 2)
			q.Push(second, false)
			q.Push(first, false)
			asked := map[string]int{}
			q.Next(func(w *Waiter[sketch]) (Set, bool) {
				asked[w.Value.name]++
				return row.waitsFor, w == second
			})
			require.Equal(t, 1, asked["first"])
			require.Equal(t, row.passes, asked["second"] == 1)
		})
	}
}

// A request that nothing at all keeps back passes even where all others wait.
func TestWhatUsesNothingPassesAll(t *testing.T) {
	q := Make(func(w *Waiter[sketch]) Set { return w.Value.uses })
	q.Push(named("held", 1, limitA|Everything, 1), false)
	free := named("free", 2, 0, 2)
	q.Push(free, false)
	var last *Waiter[sketch]
	q.Next(func(w *Waiter[sketch]) (Set, bool) {
		last = w
		return Everything, false
	})
	require.Same(t, free, last)
}

// Only the first of a line may pass.
func TestNextAsksOneOfEachLine(t *testing.T) {
	q := newQueue()
	for i := range int64(6) {
		q.Push(named(fmt.Sprint(i), uint8(i%2), limitA<<(i%2), i), false)
	}
	var asked []string
	q.Next(func(w *Waiter[sketch]) (Set, bool) {
		asked = append(asked, w.Value.name)
		return w.Value.uses, false
	})
	require.Equal(t, []string{"0", "1"}, asked)
}

// Lines that share a limit take turns by priority; every eighth is that of the oldest, in whichever line it waits.
// A line that shares nothing with them has turns of its own.
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

// Of two lines each of which has the turn of the oldest the older one goes first, whatever its priority.
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

// A resend goes before all others, in whichever line it waits, and earlier resends before later ones.
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

// Servers and callers choose how many kinds there are, so further ones share a line with others of their route.
func TestLinesAreBounded(t *testing.T) {
	q := newQueue()
	for i := range int64(3 * maxLines) {
		w := named(fmt.Sprint(i), 1, limitA, i)
		w.Kind.Key = fmt.Sprint(i)
		q.Push(w, false)
	}
	require.Len(t, q.lines, maxLines)
	other := named("another route", 2, limitB, 1000)
	q.Push(other, false)
	require.Len(t, q.lines, maxLines+1, "nobody uses what it does")
	require.Equal(t, 3*maxLines+1, q.Len())
	q.Remove(other)
	require.Len(t, q.lines, maxLines)
	require.Len(t, grantAll(t, &q, nameOf), 3*maxLines)
	require.Empty(t, q.lines)
}
