package scale

import (
	"fmt"
	"net/http"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/internal/test/page"
)

const perSecond = 1000

// measureWaiters lets requests join one partition's queue, one at a time, and cancels every other one.
func measureWaiters(t *testing.T) *table {
	t.Helper()
	shown := &table{
		title: "Requests that wait in one partition",
		text: `Requests wait for a limit of 1000 per second (MaxWait −1). Half of them are cancelled. The test checks that the others are
sent once, in order, and that none waits or is in flight at the end.

- Times in brackets are without headway: each request knows its turn and sleeps until then.
- Bytes are of one waiting request: on the heap, with its goroutine's descriptor and its context's channel, and the stack.
- Left on the heap are the descriptor and the channel. The runtime keeps the descriptor for another goroutine.`,
		columns: []string{
			"waiters", "ns to join", "ns to cancel", "ns to be sent", "allocations to join", "to cancel", "to be sent",
			"bytes on the heap", "of stack", "left on the heap", "refused per 1000",
		},
		note: `Times do not grow, within their noise, but that of cancelling: a line is a slice, in which those behind move up. Joining and
being sent take no longer behind 100,000 other requests than behind 1,000.`,
	}
	m := newMeter(t)
	var first waiterFigures
	for i, n := range sizes(1000, 100_000) {
		if kit.Raced {
			n = min(n, 4000) // the race detector follows 8,128 goroutines at most
		}
		var f, own waiterFigures
		synctest.Test(t, func(t *testing.T) { f = m.waiters(t, n) })
		synctest.Test(t, func(t *testing.T) { own = m.waitersWithoutHeadway(t, n) })
		synctest.Test(t, func(t *testing.T) { f.takeTimes(m.waiters(t, n)) })
		f.send.allocs -= own.send.allocs
		shown.add(n, beside(f.join, own.join), beside(f.cancel, own.cancel), beside(f.send, own.send),
			f.join.allocs, f.cancel.allocs, f.send.allocs, f.heap, f.stack, f.left, f.refused)
		if i == 0 {
			first = f
		}
		require.LessOrEqual(t, f.refused, 1.0, "refused per 1000")
		if kit.Raced {
			continue
		}
		require.LessOrEqual(t, f.heap, 2048, "bytes of one that waits")
		require.LessOrEqual(t, f.stack, 8704, "bytes of its stack, which is 8 KiB unless it grows further")
		require.LessOrEqual(t, f.left, 800, "bytes that are left of one that waited")
		for _, phase := range []struct {
			name        string
			first, last float64
			most        float64
		}{
			{"join", first.join.allocs, f.join.allocs, 12},
			{"cancel", first.cancel.allocs, f.cancel.allocs, 8},
			{"be sent", first.send.allocs, f.send.allocs, 8},
		} {
			require.LessOrEqual(t, phase.last, phase.most, "allocations to %s", phase.name)
			require.LessOrEqual(t, phase.last, 1.1*phase.first+0.1, "allocations to %s do not grow", phase.name)
		}
	}
	return shown
}

// beside returns a figure, with the figure without headway in brackets.
func beside(all, own cost) string {
	return fmt.Sprintf("%s (%s)", page.Grouped(int(all.time)), page.Grouped(int(own.time)))
}

type waiterFigures struct {
	join, cancel, send cost // of one request
	heap, stack, left  int  // bytes of one waiter, and bytes left on the heap after it
	refused            float64
}

// takeTimes takes the times of a second run. That run reuses the goroutine descriptors and memory of the first run, as the
// measurement without headway does. The bytes are those of the first run.
func (f *waiterFigures) takeTimes(other waiterFigures) {
	f.join.time, f.cancel.time, f.send.time = other.join.time, other.cancel.time, other.send.time
}

func (m *meter) waiters(t *testing.T, n int) waiterFigures {
	t.Helper()
	api := newService(perSecond, time.Second, 0)
	transport := &headway.Transport{Base: api, MaxWait: -1}
	useUp(t, api, transport)
	c := newCrowd(t, api, n)

	var f waiterFigures
	before, stacks := inUse()
	f.join = m.measure(func() { c.join(transport) }).each(n)
	require.Equal(t, n, transport.State()[0].Waiting)
	heap, stacksNow := inUse()
	f.heap, f.stack = (heap-before)/n, (stacksNow-stacks)/n
	f.cancel = m.measure(c.cancel).each(n / 2)
	require.Equal(t, n/2, transport.State()[0].Waiting)
	f.send = m.measure(c.all.Wait).each(n / 2)
	state := transport.State()[0]
	require.Zero(t, state.Waiting)
	require.Zero(t, state.InFlight)
	heap, _ = inUse()
	f.left = (heap - before) / n
	runtime.KeepAlive(transport)
	f.refused = c.check(t)
	return f
}

// waitersWithoutHeadway measures requests that know their turn and sleep until then.
func (m *meter) waitersWithoutHeadway(t *testing.T, n int) (f waiterFigures) {
	t.Helper()
	api := newService(perSecond, time.Second, 0)
	c := newCrowd(t, api, n)
	asleep := &sleeping{base: api, begun: time.Now()}
	f.join = m.measure(func() { c.join(asleep) }).each(n)
	f.cancel = m.measure(c.cancel).each(n / 2)
	f.send = m.measure(c.all.Wait).each(n / 2)
	require.Zero(t, c.check(t))
	return f
}

// sleeping lets requests sleep until their turn, in the order of their arrival.
type sleeping struct {
	base  http.RoundTripper
	begun time.Time
	turns int // one turn after the other
}

func (s *sleeping) RoundTrip(req *http.Request) (*http.Response, error) {
	s.turns++
	turn := time.NewTimer(time.Until(s.begun.Add(time.Duration(s.turns) * time.Second / perSecond)))
	defer turn.Stop()
	select {
	case <-turn.C:
		return s.base.RoundTrip(req)
	case <-req.Context().Done():
		return nil, req.Context().Err()
	}
}

// useUp sends requests until the next one would have to wait.
func useUp(t *testing.T, api *service, transport *headway.Transport) {
	t.Helper()
	for waited := false; !waited; {
		one, err := api.newSender(t.Context(), "0", make([]errand, 1))
		require.NoError(t, err)
		require.NoError(t, one.send(transport))
		waited = one.current.sent > one.current.called
	}
}
