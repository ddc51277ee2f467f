package scale

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"net/http"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
)

const (
	perPartition = 100 // requests in one partition
	perUser      = 2   // workers of one partition
	quota        = 60
	window       = 10 * time.Second
)

// measureRequests measures users with separate quotas that send 100 requests each.
func measureRequests(t *testing.T) *table {
	t.Helper()
	shown := &table{
		title: "Requests and partitions",
		text: `Two senders make 100 requests to each partition, one after the other, against 60 per 10 s with a latency of 50 ms. The test
checks that every request is served once, and in order.

- Without headway, as many senders make as many requests to the service alone, and sleep after each request.
- Allocations are those of headway alone, waits included.
- Bytes are what an idle partition keeps at first, and 20 minutes later.`,
		columns: []string{
			"requests", "partitions", "refused per 1000", "ns per request", "without headway",
			"allocations", "bytes allocated", "bytes per partition", "20 min later",
		},
		note: `Refusals, allocations and the bytes of a partition are flat. (With few partitions, other things count.) The time is not flat:
it about triples for a thousand times as many requests, and grows fourfold without headway. The processor's caches hold less
and less of the goroutines, timers and partitions. No function dominates a profile.`,
	}
	m := newMeter(t)
	var first requestFigures
	most := 100_000
	if *full || *write {
		most = 1_000_000
	}
	for i, n := range sizes(1000, most) {
		var f requestFigures
		var own cost
		synctest.Test(t, func(t *testing.T) { f = m.requests(t, n/perPartition) })
		synctest.Test(t, func(t *testing.T) { own = m.requestsWithoutHeadway(t, n/perPartition) })
		f.allocs -= own.allocs
		f.bytes -= own.bytes
		shown.add(n, n/perPartition, f.refused, int(f.time), int(own.time), f.allocs, int(f.bytes), f.kept, f.left)
		if i == 0 {
			first = f
		}
		require.LessOrEqual(t, f.refused, 1.0, "refused per 1000")
		if kit.Raced {
			continue // the race detector allocates, too
		}
		require.LessOrEqual(t, f.allocs, 8.0, "allocations for a request")
		require.LessOrEqual(t, f.allocs, 1.1*first.allocs, "allocations for a request do not grow")
		if n >= 100_000 { // smaller sizes are dominated by other costs
			require.LessOrEqual(t, f.kept, 2560, "bytes for a partition, a third of them for the times of own units")
			require.LessOrEqual(t, f.left, 128, "bytes that are left of a partition")
		}
	}
	return shown
}

type requestFigures struct {
	cost
	refused    float64 // per 1000 served
	kept, left int     // bytes per partition
}

func (m *meter) requests(t *testing.T, partitions int) requestFigures {
	t.Helper()
	api := newService(quota, window, latency)
	errands, senders := newSenders(t, api, partitions)
	transport := &headway.Transport{Base: api}
	warm(len(senders) + partitions) // each sender and partition may have a timer that fires at the same time
	before, _ := inUse()

	f := requestFigures{cost: m.send(t, senders, transport).each(len(errands))}
	api.limiter = nil // it keeps memory for each user
	after, _ := inUse()
	require.Len(t, transport.State(), partitions)
	f.kept = (after - before) / partitions
	time.Sleep(20 * time.Minute)
	require.Empty(t, transport.State())
	after, _ = inUse()
	runtime.KeepAlive(senders)
	f.left = max(0, after-before) / partitions

	f.refused = refusedPerMille(t, errands)
	for partition := range slices.Chunk(errands, perPartition) {
		requireOrder(t, partition)
	}
	return f
}

// requestsWithoutHeadway measures senders without headway, which stay below the limit by pauses. They begin at random times, as
// headway's requests do.
func (m *meter) requestsWithoutHeadway(t *testing.T, partitions int) cost {
	t.Helper()
	api := newService(quota, window, latency)
	errands, senders := newSenders(t, api, partitions)
	for _, s := range senders {
		s.pause = perUser * window / quota
		s.begin = rand.N(s.pause)
	}
	all := m.send(t, senders, api)
	require.Zero(t, refusedPerMille(t, errands))
	return all.each(len(errands))
}

// newSenders returns the senders of all partitions, and their errands by partition.
func newSenders(t *testing.T, api *service, partitions int) ([]errand, []*sender) {
	t.Helper()
	const each = perPartition / perUser
	errands := make([]errand, partitions*perPartition)
	senders := make([]*sender, partitions*perUser)
	for i := range senders {
		var err error
		senders[i], err = api.newSender(t.Context(), fmt.Sprint(i/perUser), errands[i*each:(i+1)*each])
		require.NoError(t, err)
	}
	return errands, senders
}

// send lets all senders send their errands.
func (m *meter) send(t *testing.T, senders []*sender, transport http.RoundTripper) cost {
	t.Helper()
	errs := make([]error, len(senders))
	all := m.measure(func() {
		var all sync.WaitGroup
		for i, s := range senders {
			all.Go(func() { errs[i] = s.send(transport) })
		}
		all.Wait()
	})
	require.NoError(t, cmp.Or(errs...))
	return all
}

// refusedPerMille checks that each errand was served exactly once. It returns the refused requests per 1000 served.
func refusedPerMille(t *testing.T, errands []errand) float64 {
	t.Helper()
	refused := 0
	for i, e := range errands {
		if e.served != 1 {
			require.Failf(t, "not once", "request %d was served %d times", i, e.served)
		}
		refused += int(e.refused)
	}
	return 1000 * float64(refused) / float64(len(errands))
}

// requireOrder checks that errands were sent in the order of their calls.
func requireOrder(t *testing.T, errands []errand) {
	t.Helper()
	slices.SortFunc(errands, func(a, b errand) int {
		return cmp.Or(cmp.Compare(a.sent, b.sent), cmp.Compare(a.called, b.called))
	})
	for i := range errands[1:] {
		if a, b := errands[i], errands[i+1]; a.called > b.called {
			require.Failf(t, "not in order", "called at %v, sent at %v; called at %v, sent at %v", a.called, a.sent, b.called, b.sent)
		}
	}
}
