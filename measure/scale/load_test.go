package scale

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/test/sim"
	"github.com/headway-go/headway/ratelimittest"
)

// spaced is a ratelimittest.Workload of n requests, one per interval. The first comes at a random time in the first
// interval.
type spaced struct {
	n        int
	interval time.Duration
}

// Do implements ratelimittest.Workload.
func (s spaced) Do(ctx context.Context, call func(context.Context) (status int, err error)) []ratelimittest.Outcome {
	at := make(sim.Schedule, s.n)
	first := rand.N(s.interval - latency)
	for i := range at {
		at[i] = first + time.Duration(i)*s.interval
	}
	return at.Do(ctx, call)
}

// withoutHeadway measures a request of clients without headway, whose load stays below the limit.
func (m *meter) withoutHeadway(t *testing.T, limiter ratelimittest.Limiter, clients int, load spaced) cost {
	t.Helper()
	var f ratelimittest.Figures
	all := m.measure(func() {
		f = ratelimittest.Run(t, ratelimittest.Scenario{Limiter: limiter, Clients: clients, Load: load, Latency: latency})
	})
	require.Equal(t, f.Made, f.Served)
	require.Zero(t, f.Refused)
	return all.each(f.Allowed)
}
