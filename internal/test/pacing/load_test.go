package pacing

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/internal/test/sim"
	"github.com/headway-go/headway/ratelimittest"
)

// A pacingLoad is the load on the server of a run.
type pacingLoad interface {
	run(t *testing.T, r *pacingRun) pacingFigures
}

// A pacingRun is one run of a row, inside its bubble.
type pacingRun struct {
	*pacingRow
	rng     *rand.Rand
	begun   time.Time
	handler *ratelimittest.Handler
}

func newPacingRun(row *pacingRow, rng *rand.Rand) *pacingRun {
	r := &pacingRun{pacingRow: row, rng: rng, begun: time.Now()}
	r.handler = &ratelimittest.Handler{
		Limiter:    r.limiter(),
		Dialect:    r.dialect.write,
		RetryAfter: r.dialect.retryAfter,
		Client:     func(*http.Request) string { return "" }, // all share one quota
	}
	return r
}

// limiter returns a new limiter like the run's server.
func (r *pacingRun) limiter() ratelimittest.Limiter {
	return r.algorithm.limiter(ratelimittest.Policy{Quota: r.rate.quota, Window: r.rate.window}, r.begun)
}

// client returns the i-th client, with its own Transport.
func (r *pacingRun) client(i int, latency time.Duration) *http.Client {
	return &http.Client{Transport: kit.SeededBy(r.rng, &headway.Transport{Base: &ratelimittest.Transport{
		Handler: r.handler, Latency: latency, RemoteAddr: fmt.Sprintf("192.0.2.%d:1234", i),
	}})}
}

// figures returns the figures that all loads have.
func (r *pacingRun) figures() pacingFigures {
	a := r.handler.Arrivals()
	return pacingFigures{refused: 1000 * float64(len(a.Refused())) / float64(len(a.Allowed()))}
}

// A batch is the load of one client with all requests from the start.
type batch struct {
	requests int
	quotas   int // requests in addition, in quotas
	workers  int
	latency  time.Duration
}

func (b batch) run(t *testing.T, r *pacingRun) pacingFigures {
	t.Helper()
	load := ratelimittest.Batch{Requests: b.requests + b.quotas*int(r.rate.quota), Workers: b.workers}
	outcomes := load.Send(r.client(0, b.latency), kit.NewRequest(t, kit.URL))
	took, optimum := time.Since(r.begun), load.Optimum(r.limiter(), r.begun, b.latency)

	f, a := r.figures(), r.handler.Arrivals()
	f[failed] = float64(len(outcomes) - len(a.Allowed()))
	if took > 4*r.rate.window { // too short a run says nothing of evenness
		f[finished] = took.Seconds() / optimum.Seconds()
		f[used] = r.used(a)
		f[cv] = a.GapCV()
	}
	if r.dialect.isEven {
		// The first tenth is left out, as it has the first burst.
		tenth := r.rate.window / 10
		later := a.Between(r.begun.Add(tenth), r.begun.Add(took))
		f[busiest] = float64(later.Busiest(tenth)) / (float64(r.rate.quota) / 10)
	}
	return f
}

// used returns the used part of the quota in the windows that were under load from beginning to end. Without
// windows it counts from the first to the last request.
func (r *pacingRun) used(a ratelimittest.Arrivals) float64 {
	if r.algorithm.end == nil {
		return a.Used(r.limiter())
	}
	var counts []float64 // of each window
	var end time.Time    // of the last window
	for _, x := range a.Allowed() {
		if !x.Time.Before(end) {
			end = r.algorithm.end(x.Time, r.rate.window)
			counts = append(counts, 0)
		}
		counts[len(counts)-1]++
	}
	var sum, windows float64
	for i := 1; i < len(counts)-1; i++ {
		sum += counts[i]
		windows++
	}
	return sum / (windows * float64(r.rate.quota))
}

// light is the load of one client that sends a request now and then.
type light struct {
	share    float64 // of the quota
	requests int
	latency  time.Duration
}

func (l light) run(t *testing.T, r *pacingRun) pacingFigures {
	t.Helper()
	interval := time.Duration(float64(r.rate.window) / float64(r.rate.quota) / l.share)
	schedule := sim.Poisson(r.rng, l.requests, interval)
	outcomes := schedule.Send(r.client(0, l.latency), kit.NewRequest(t, kit.URL))
	return r.delays(t, outcomes, l.latency)
}

// delays returns the figures of requests that come at given times.
func (r *pacingRun) delays(t *testing.T, outcomes []ratelimittest.Outcome, latency time.Duration) pacingFigures {
	t.Helper()
	added := make([]float64, len(outcomes))
	for i, o := range outcomes {
		require.NoError(t, o.Err)
		added[i] = (o.End.Sub(o.Start) - latency).Seconds()
	}
	slices.Sort(added)
	f := r.figures()
	f[p50] = added[len(added)/2]
	f[p99] = added[len(added)*99/100]
	return f
}

// bursts is the load of one client that sends a part of the quota at once, and again after one and a half
// windows.
type bursts struct {
	share   float64 // of the quota
	times   int
	latency time.Duration
	pacing  headway.Pacing
}

func (b bursts) run(t *testing.T, r *pacingRun) pacingFigures {
	t.Helper()
	each := int(b.share * float64(r.rate.quota))
	var schedule sim.Schedule
	for i := range b.times {
		at := time.Duration(i) * r.rate.window * 3 / 2
		schedule = append(schedule, slices.Repeat([]time.Duration{at}, each)...)
	}
	client := r.client(0, b.latency)
	client.Transport.(*headway.Transport).Pacing = b.pacing //nolint:forcetypeassert // client has just made it
	outcomes := schedule.Send(client, kit.NewRequest(t, kit.URL))
	first := min(each, len(outcomes)) // the first burst, before the limit is known
	return r.delays(t, outcomes[first:], b.latency)
}

// A fleet is the load of independent clients, each with more requests than the quota.
type fleet struct {
	clients, windows int
	latency          time.Duration
}

func (l fleet) run(t *testing.T, r *pacingRun) pacingFigures {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer time.AfterFunc(time.Duration(l.windows)*r.rate.window, cancel).Stop()
	enough := l.windows * int(r.rate.quota) / 2 // more than an even share, which is an eighth
	load := ratelimittest.Batch{Requests: enough, Workers: 16}
	req := newPacingRequest(t, ctx)
	var clients sync.WaitGroup
	for i := range l.clients {
		client := r.client(i, l.latency)
		clients.Go(func() { load.Send(client, req) })
	}
	clients.Wait()

	f, a := r.figures(), r.handler.Arrivals()
	f[used] = r.used(a)
	f[jain] = a.Jain(func(x ratelimittest.Arrival) string { return x.RemoteAddr })
	return f
}

func newPacingRequest(t *testing.T, ctx context.Context) *http.Request { //nolint:revive // t comes first in tests
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://api.example.com/things", http.NoBody)
	require.NoError(t, err)
	return req
}
