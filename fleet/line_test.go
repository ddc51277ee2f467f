package fleet

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// A paceLine is the alternative to a fleet: each request asks the store for the next slot of a common
// schedule. Unlike a fleet, it has to know the quota in advance.
type paceLine struct {
	every time.Duration
	delay time.Duration // of the store

	mu       sync.Mutex
	next     time.Time
	commands int
}

// reserve returns when the next request may go.
func (l *paceLine) reserve() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.commands++
	slot := l.next
	if now := time.Now(); slot.Before(now) {
		slot = now
	}
	l.next = slot.Add(l.every)
	return slot
}

// lined is a client that sends at the slots of a paceLine.
type lined struct {
	base http.RoundTripper
	line *paceLine
}

func (c lined) RoundTrip(req *http.Request) (*http.Response, error) {
	time.Sleep(c.line.delay / 2)
	slot := c.line.reserve()
	time.Sleep(c.line.delay / 2)
	time.Sleep(time.Until(slot))
	return c.base.RoundTrip(req)
}

// TestSharedLine compares a fleet with a paceLine. The figures show why headway does not offer a paceLine.
func TestSharedLine(t *testing.T) {
	const n, quota, window, to = 8, 600, time.Minute, 4 * time.Minute
	var table strings.Builder
	all := slices.Repeat([]process{{to: to}}, n)
	for _, algorithm := range []algorithm{fixed, linear} {
		for _, delay := range []time.Duration{storeDelay, 100 * storeDelay} {
			s := scenario{algorithm: algorithm, quota: quota, window: window, from: window, to: to, processes: all, delay: delay}
			together := s.run(t, 0)
			s.line = &paceLine{every: window / quota, delay: delay}
			line := s.run(t, 0)
			line.commands = float64(s.line.commands) / to.Seconds() / n
			_, _ = fmt.Fprintf(&table, "%-14s store %6v away: a fleet %v\n%36s %v\n", algorithm.name, delay, together, "a line", line)
			together.require(t, figures{refused: line.refused + 3, used: line.used - 0.02, jain: line.jain - 0.02})
		}
	}
	t.Logf("\n%s", table.String())
}
