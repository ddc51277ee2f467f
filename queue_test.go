package headway

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/pacer"
)

func TestWaitListKeepsTheOrderOfCalls(t *testing.T) {
	for _, test := range []struct {
		name   string
		called []pacer.Instant
		remove int // index into called, -1: none
		want   []pacer.Instant
	}{
		{"in order", []pacer.Instant{1, 2, 3}, -1, []pacer.Instant{1, 2, 3}},
		{"reversed", []pacer.Instant{3, 2, 1}, -1, []pacer.Instant{1, 2, 3}},
		{"into the middle", []pacer.Instant{1, 3, 2}, -1, []pacer.Instant{1, 2, 3}},
		{"first leaves", []pacer.Instant{1, 2, 3}, 0, []pacer.Instant{2, 3}},
		{"middle leaves", []pacer.Instant{1, 2, 3}, 1, []pacer.Instant{1, 3}},
		{"last leaves", []pacer.Instant{1, 2, 3}, 2, []pacer.Instant{1, 2}},
		{"only one leaves", []pacer.Instant{1}, 0, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			var q queue
			var waiters []*waiter
			for _, called := range test.called {
				w := newTestWaiter(called, pacer.Never)
				waiters = append(waiters, w)
				q.push(w)
			}
			if test.remove >= 0 {
				w := waiters[test.remove]
				w.list.remove(w)
			}
			var forward, backward []pacer.Instant
			q.all(func(w *waiter) { forward = append(forward, w.called) })
			for w := q.fresh.tail; w != nil; w = w.prev {
				backward = append(backward, w.called)
			}
			slices.Reverse(backward)
			require.Equal(t, test.want, forward)
			require.Equal(t, test.want, backward)
			require.Len(t, test.want, q.len())
			require.EqualValues(t, len(test.want), q.ahead(false))
			require.Zero(t, q.ahead(true))
		})
	}
}

func TestEqualCallsStayInTheOrderTheyJoined(t *testing.T) {
	var q queue
	first, second := newTestWaiter(7, pacer.Never), newTestWaiter(7, pacer.Never)
	q.push(first)
	q.push(second)
	require.Same(t, first, q.first())
	require.Same(t, second, q.fresh.tail)
}
