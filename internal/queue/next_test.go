package queue

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// The first waiter of a line overtakes the first of another line, unless it uses a limit for which the other one waits.
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
			visited := map[string]int{}
			q.Next(func(w *Waiter[sketch]) (Set, bool) {
				visited[w.Value.name]++
				return row.waitsFor, w == second
			})
			require.Equal(t, 1, visited["first"])
			require.Equal(t, row.passes, visited["second"] == 1)
		})
	}
}

// A waiter that nothing can delay overtakes even where all others wait.
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

// Only the first waiter of a line may overtake.
func TestNextVisitsOneOfEachLine(t *testing.T) {
	q := newQueue()
	for i := range int64(6) {
		q.Push(named(fmt.Sprint(i), uint8(i%2), limitA<<(i%2), i), false)
	}
	var visited []string
	q.Next(func(w *Waiter[sketch]) (Set, bool) {
		visited = append(visited, w.Value.name)
		return w.Value.uses, false
	})
	require.Equal(t, []string{"0", "1"}, visited)
}
