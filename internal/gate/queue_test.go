package gate

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/pacer"
)

const (
	limitA pacer.LimitSet = 1 << iota
	limitB
)

// newQueue returns a queue of waiters that use these limits: those of route 1 use A, of route 2 B, of route 3 both.
func newQueue() *queue {
	return &queue{uses: func(w *waiter) pacer.LimitSet { return pacer.LimitSet(w.kind.route)&(limitA|limitB) | pacer.Everything }}
}

// routes are numbers of routes by the limits that they use.
var routes = []string{"nothing known", "A", "B", "AB", "nothing", "A too"}

// named returns a waiter whose call was made at that time. It uses these limits and costs one request.
func named(limits string, at pacer.Instant, priority int) *waiter {
	return &waiter{called: at, priority: priority, kind: kind{route: uint8(slices.Index(routes, limits))}, cost: pacer.Cost{Requests: 1}}
}

// fill pushes the waiters.
func (q *queue) fill(all ...*waiter) {
	for _, w := range all {
		q.push(w, false)
	}
}

// grantAll grants all waiters in the order of their turns, and returns their names.
func grantAll[N any](t *testing.T, q *queue, name func(*waiter) N) (turns []N) {
	t.Helper()
	for !q.isEmpty() {
		w := q.firsts()[0]
		q.grant(w)
		require.Nil(t, w.line)
		turns = append(turns, name(w))
	}
	return turns
}

func callOf(w *waiter) int { return int(w.called) }

// Resends go first, then higher priorities. Every eighth turn goes to the oldest waiter.
func TestPriorities(t *testing.T) {
	q := newQueue()
	for at := range pacer.Instant(10) {
		priority := int(at) % 3
		if at == 0 {
			priority = -1
		}
		q.fill(named("A", at, priority))
	}
	resend := named("A", 100, 0)
	resend.resend = true
	q.fill(resend)
	require.Equal(t, 11, q.len())
	require.EqualValues(t, 0, q.oldest().called)
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
		w := named("A", 1000, row.priority)
		w.resend = row.resend
		require.Equal(t, row.ahead, q.ahead(w), row.name)
	}
	require.Equal(t, []int{100, 2, 5, 8, 1, 4, 7, 3, 0, 6, 9}, grantAll(t, q, callOf))
}

// Only waiters that use the same limits are ahead. Waiters without known limits share all.
func TestAheadAtTheSameLimits(t *testing.T) {
	q := newQueue()
	costly := named("A", 1, 0)
	costly.cost.Requests = 20
	q.fill(costly, named("A", 2, 0), named("B", 3, 0), named("nothing", 4, 0))
	require.Equal(t, 2, q.using(limitA))
	for _, row := range []struct {
		limits string
		want   int64
	}{{"A", 21}, {"A too", 21}, {"AB", 22}, {"B", 1}, {"nothing known", 1}} {
		require.Equal(t, row.want, q.ahead(named(row.limits, 9, 0)), row.limits)
	}
	q.remove(costly)
	require.EqualValues(t, 1, q.ahead(named("A", 9, 0)))
}

// sift visits all waiters in their order with the cost before them, and removes those that do not stay.
func TestSift(t *testing.T) {
	q := newQueue()
	leaving := named("A", 2, 0)
	q.fill(named("A", 1, 0), leaving, named("B", 3, 0), named("AB", 4, 0), named("B", 5, 1))
	require.EqualValues(t, 1, q.oldest().called, "of all lines")
	var visits [][2]int64
	q.sift(func(w *waiter, ahead int64) bool {
		visits = append(visits, [2]int64{int64(w.called), ahead})
		return w != leaving
	})
	require.Equal(t, [][2]int64{{5, 0}, {1, 0}, {2, 1}, {3, 1}, {4, 3}}, visits)
	require.Nil(t, leaving.line)
	require.Equal(t, 4, q.len())
	for _, l := range q.lines {
		require.True(t, l.planned)
	}
}
