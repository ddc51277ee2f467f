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
				q.push(w, kind{}, pacer.Plan{})
			}
			if test.remove >= 0 {
				q.remove(waiters[test.remove])
			}
			var forward, backward []pacer.Instant
			for _, w := range q.all() {
				forward = append(forward, w.called)
			}
			for _, l := range q.levels() {
				for w := l.tail; w != nil; w = w.prev {
					backward = append(backward, w.called)
				}
			}
			slices.Reverse(backward)
			require.Equal(t, test.want, forward)
			require.Equal(t, test.want, backward)
			require.Len(t, test.want, q.len())
			require.EqualValues(t, len(test.want), q.aheadOf(false, 0))
			require.Zero(t, q.aheadOf(true, 0))
		})
	}
}

func TestEqualCallsStayInTheOrderTheyJoined(t *testing.T) {
	var q queue
	first, second := newTestWaiter(7, pacer.Never), newTestWaiter(7, pacer.Never)
	q.push(first, kind{}, pacer.Plan{})
	q.push(second, kind{}, pacer.Plan{})
	require.Same(t, first, q.order()[0])
	require.Same(t, second, q.levels()[0].tail)
}

// Higher priorities go first, but every eighth turn is that of the oldest.
func TestPriorities(t *testing.T) {
	var q queue
	for called := range pacer.Instant(10) {
		w := newTestWaiter(called, pacer.Never)
		w.priority = -1
		if called > 0 {
			w.priority = int(called) % 3
		}
		q.push(w, kind{}, pacer.Plan{})
	}
	resend := newTestWaiter(100, pacer.Never)
	resend.resend = true
	q.push(resend, kind{}, pacer.Plan{})
	require.EqualValues(t, 1, q.aheadOf(true, 0))
	require.EqualValues(t, 1+10, q.aheadOf(false, -1))
	require.EqualValues(t, 1+3, q.aheadOf(false, 2), "those of the same priority are before it")
	require.EqualValues(t, 1, q.aheadOf(false, 3))

	var turns []pacer.Instant
	for q.len() > 0 {
		w := q.order()[0]
		if !w.resend {
			w.line.turns++
		}
		q.remove(w)
		turns = append(turns, w.called)
	}
	require.Equal(t, []pacer.Instant{100, 2, 5, 8, 1, 4, 7, 3, 0, 6, 9}, turns)
	require.Empty(t, q.lines)
}

// levels are those of the only line, if there is one.
func (q *queue) levels() []*level {
	if len(q.lines) == 0 {
		return nil
	}
	return q.lines[0].fresh
}

func (q *queue) aheadOf(resend bool, priority int) int64 {
	if len(q.lines) == 0 {
		return 0
	}
	return q.lines[0].ahead(resend, priority)
}
