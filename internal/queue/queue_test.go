package queue

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// Beyond maxLines, waiters of further kinds share a line with others of their route.
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

func TestLinesOfOneThatIsPlanned(t *testing.T) {
	q := newQueue()
	planned, unplanned := named("", 1, 0, 1), named("", 2, 0, 2)
	q.Push(planned, true)
	q.Push(unplanned, false)
	require.True(t, planned.IsPlanned())
	require.False(t, unplanned.IsPlanned())
	q.Unplan()
	require.False(t, planned.IsPlanned())
}
