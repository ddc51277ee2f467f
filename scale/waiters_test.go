package scale

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
)

// measureWaiters has requests wait on one partition, one more at a time, and cancels every
// other one.
func measureWaiters(t *testing.T) *table {
	t.Helper()
	shown := &table{
		title: "Waiters on one partition",
		text: `Requests that wait for 1000 per second (MaxWait −1), half of which are cancelled. The others are all sent once, in the order in which they were made, and nothing is left.
Bytes are those of one that waits: on the heap with its goroutine's descriptor, and that goroutine's stack.`,
		columns: []string{"waiters", "ns to join", "ns to cancel", "ns to be sent", "allocations to join", "to cancel", "to be sent", "bytes on the heap", "of stack", "refused per 1000"},
	}
	m := newMeter(t)
	var first waiterFigures
	for i, n := range sizes(1000, 100_000) {
		if raced {
			n = min(n, 4000) // of the goroutines that it can follow
		}
		var f waiterFigures
		synctest.Test(t, func(t *testing.T) { f = m.waiters(t, n) })
		shown.add(n, int(f.join.time), int(f.cancel.time), int(f.send.time), f.join.allocs, f.cancel.allocs, f.send.allocs, f.heap, f.stack, f.refused)
		if i == 0 {
			first = f
		}
		require.LessOrEqual(t, f.refused, 1.0, "refused per 1000")
		if raced {
			continue
		}
		require.LessOrEqual(t, f.heap, 2048, "bytes of one that waits")
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

type waiterFigures struct {
	join, cancel, send cost // of those that do so
	heap, stack        int  // bytes of one that waits
	refused            float64
}

func (m *meter) waiters(t *testing.T, n int) waiterFigures {
	t.Helper()
	own := m.service(t)
	api := newService(1000, time.Second, 0)
	transport := &headway.Transport{Base: api, MaxWait: -1}
	m.useUp(t, api, transport)

	errands, errs := make([]errand, n), make([]error, n)
	senders, cancels := make([]*sender, n), make([]context.CancelFunc, n)
	for i := range senders {
		var ctx context.Context
		ctx, cancels[i] = context.WithCancel(t.Context())
		defer cancels[i]()
		var err error
		senders[i], err = api.newSender(ctx, "0", errands[i:i+1])
		require.NoError(t, err)
	}
	warm(n)
	var f waiterFigures
	heap, stacks := inUse()
	var all sync.WaitGroup
	f.join = m.each(n, func() {
		for i, s := range senders {
			all.Go(func() { errs[i] = s.send(transport) })
			synctest.Wait() // so that they join in order
		}
	})
	require.Equal(t, n, transport.State()[0].Waiting)
	heapNow, stacksNow := inUse()
	f.heap, f.stack = (heapNow-heap)/n, (stacksNow-stacks)/n

	f.cancel = m.each(n/2, func() {
		for i := 1; i < n; i += 2 {
			cancels[i]()
		}
		synctest.Wait()
	})
	require.Equal(t, n/2, transport.State()[0].Waiting)
	f.send = m.each(n/2, all.Wait)
	f.send.allocs -= own.allocs

	state := transport.State()[0]
	require.Zero(t, state.Waiting)
	require.Zero(t, state.InFlight)
	var served []errand
	for i, err := range errs {
		if i%2 == 0 {
			require.NoError(t, err)
			served = append(served, errands[i])
			continue
		}
		if !errors.Is(err, context.Canceled) || errands[i].served+errands[i].refused > 0 {
			require.Failf(t, "not cancelled", "request %d: %v, sent %d times", i, err, errands[i].served)
		}
	}
	f.refused = refusedPerMille(t, served)
	for i := range served[1:] {
		if served[i].sent > served[i+1].sent {
			require.Failf(t, "not in order", "request %d was sent before request %d", 2*i+2, 2*i)
		}
	}
	return f
}

// useUp sends until a request would have to wait.
func (*meter) useUp(t *testing.T, api *service, transport *headway.Transport) {
	t.Helper()
	for waited := false; !waited; {
		one, err := api.newSender(t.Context(), "0", make([]errand, 1))
		require.NoError(t, err)
		require.NoError(t, one.send(transport))
		waited = one.current.sent > one.current.called
	}
}
