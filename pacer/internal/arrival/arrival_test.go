package arrival_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/pacer/internal/arrival"
)

const interval, tolerance = 0.6, 6.0

// send sends all requests that may go now, and returns their number.
func send(l *arrival.Line, now, jitter float64) (n int) {
	for ; l.Next(interval, 60) <= now+1e-9; n++ {
		l.Take(now, l.Next(interval, 60), 0, tolerance, 1, jitter)
	}
	return n
}

// After an idle time eleven requests go at once: one, and as many as have intervals in the tolerance. An hour counts no
// more than six seconds. Every later one waits for an interval.
func TestBurst(t *testing.T) {
	var l arrival.Line
	for _, row := range []struct {
		now float64
		n   int
	}{{100, 11}, {100, 0}, {100.59, 0}, {100.6, 1}, {101.2, 1}, {103.6, 4}, {110.2, 11}, {3710, 11}} {
		require.Equal(t, row.n, send(&l, row.now, 1), "at %g s", row.now)
	}
}

// Jitter is a factor of the interval until the next request. A costly request is followed by as many intervals, up to
// the longest wait.
func TestNext(t *testing.T) {
	for _, row := range []struct{ cost, jitter, wait float64 }{
		{1, 1, 0.6}, {1, 1.1, 0.66}, {1, 0.9, 0.54}, {50, 1, 30}, {1000, 1, 60},
	} {
		var l arrival.Line
		l.Take(100, 100, 0, 0, row.cost, row.jitter)
		require.InDelta(t, row.wait, l.Next(interval, 60)-100, 1e-5)
	}
}

// A time in which nothing was allowed is not idle.
func TestOpened(t *testing.T) {
	var l arrival.Line
	l.Take(100, 90, 98.2, tolerance, 1, 1)
	require.Equal(t, 3, send(&l, 100, 1), "1.8 s ago the first one was allowed")
}

// A request that was not sent gives its slot back, and then earlier ones, but not before a hold's end.
func TestRefund(t *testing.T) {
	var l arrival.Line
	l.Take(100, 100, 0, tolerance, 1, 1)
	l.Refund(100, 1, interval)
	require.InDelta(t, 100, l.Next(interval, 60), 1e-9)
	l.Refund(100, 1, interval)
	require.InDelta(t, 99.4, l.Next(interval, 60), 1e-9)
	l.Grant(130)
	l.Refund(100, 1, interval)
	require.InDelta(t, 130, l.Next(interval, 60), 1e-9)
}
