package queue

import (
	"testing"

	"github.com/stretchr/testify/require"
)

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
