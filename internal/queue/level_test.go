package queue

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestLevelKeepsTheOrderOfCalls(t *testing.T) {
	for _, test := range []struct {
		name   string
		called []int64
		remove int // index into called, -1: none
		want   []int64
	}{
		{"in order", []int64{1, 2, 3}, -1, []int64{1, 2, 3}},
		{"reversed", []int64{3, 2, 1}, -1, []int64{1, 2, 3}},
		{"into the middle", []int64{1, 3, 2}, -1, []int64{1, 2, 3}},
		{"first leaves", []int64{1, 2, 3}, 0, []int64{2, 3}},
		{"middle leaves", []int64{1, 2, 3}, 1, []int64{1, 3}},
		{"last leaves", []int64{1, 2, 3}, 2, []int64{1, 2}},
		{"only one leaves", []int64{1}, 0, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			var l level[sketch]
			var waiters []*Waiter[sketch]
			for _, at := range test.called {
				w := called(at)
				waiters = append(waiters, w)
				l.push(w)
			}
			if test.remove >= 0 {
				l.remove(waiters[test.remove])
			}
			var forward, backward []int64
			for w := l.head; w != nil; w = w.next {
				forward = append(forward, w.Called)
			}
			for w := l.tail; w != nil; w = w.prev {
				backward = append(backward, w.Called)
			}
			slices.Reverse(backward)
			require.Equal(t, test.want, forward)
			require.Equal(t, test.want, backward)
			require.Equal(t, len(test.want), l.n)
			require.EqualValues(t, len(test.want), l.cost)
		})
	}
}

func TestEqualCallsStayInTheOrderTheyJoined(t *testing.T) {
	var l level[sketch]
	first, second := called(7), called(7)
	l.push(first)
	l.push(second)
	require.Same(t, first, l.head)
	require.Same(t, second, l.tail)
}
