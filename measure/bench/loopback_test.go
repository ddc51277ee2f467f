package bench_test

import (
	"math"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/test/sim"
	"github.com/headway-go/headway/ratelimittest"
)

// loopbackJobs are the short jobs that are done over real HTTP. Their bounds allow for a busy machine.
func loopbackJobs() []job {
	short := ratelimittest.Policy{Quota: 40, Window: 2 * time.Second}
	bucket := on("token bucket, 40 per 2 s", &ratelimittest.TokenBucket{Policy: short}, short).
		batch(200, workers, figures{refused: 30, finished: 1.5})
	bucket.facts.burst = int(short.Quota)
	untold := short
	untold.Name = "secondary"
	secondary := onGitHub(on("a secondary limit of GitHub, 40 per 2 s, which only refusals report", ratelimittest.All(
		&ratelimittest.FixedWindow{Policy: primary(plenty)}, &ratelimittest.FixedWindow{Policy: untold},
	), short)).batch(200, workers, figures{refused: 300, finished: 3})
	fixed := crowded()
	fixed.bounds[us().name] = figures{refused: 30, finished: 2}
	return []job{fixed, bucket, secondary}
}

// plenty is a primary limit that is never reached. The real 5000 per hour would be far below the secondary limits of
// these jobs, and headway would keep to it.
const plenty = 1_000_000

// tinyJobs take a second or two, which most contenders spend waiting.
func tinyJobs() []job {
	quick := ratelimittest.Policy{Quota: 20, Window: time.Second}
	fixed := on("fixed window, 20 per second", &ratelimittest.FixedWindow{Policy: quick}, quick).batch(21, 4, nil)
	secondary := onGitHub(on("the same in GitHub's form", ratelimittest.All(
		&ratelimittest.FixedWindow{Policy: primary(plenty)}, &ratelimittest.FixedWindow{Policy: quick},
	), quick)).batch(21, 4, nil)
	secondary.contenders = []contender{us(), forGitHub()}
	return []job{fixed, secondary}
}

// TestLoopback lets all contenders send real HTTP, and counts their requests.
func TestLoopback(t *testing.T) {
	t.Setenv("AWS_NEW_RETRIES_2026", "") // the SDK's default
	for _, j := range tinyJobs() {
		t.Run(j.title(), func(t *testing.T) { j.overHTTP(t) })
	}
}

// overHTTP lets all contenders do a batch at the same time, each on its own server.
func (j job) overHTTP(t *testing.T) []result {
	t.Helper()
	results := make([]result, len(j.contenders))
	played := make([]ratelimittest.Figures, len(j.contenders))
	begun := make([]time.Time, len(j.contenders))
	var all sync.WaitGroup
	for i, c := range j.contenders {
		server, client := j.serve(t, c)
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, http.NoBody)
		require.NoError(t, err)
		all.Go(func() {
			begun[i] = time.Now()
			outcomes := j.scenario.Load.(ratelimittest.Batch).Send(client, req)
			played[i] = j.count(outcomes, server.Handler.Arrivals(), begun[i])
		})
	}
	all.Wait()
	for i, c := range j.contenders {
		require.Equal(t, played[i].Made, played[i].Served, "%s: %v", c.name, played[i])
		require.Equal(t, played[i].Made, played[i].Allowed, "%s: %v", c.name, played[i])
		results[i] = result{contender: c, figures: j.read(played[i], begun[i]), played: played[i]}
	}
	return results
}

// serve starts the job's server, and makes a client for it.
func (j job) serve(t *testing.T, c contender) (*ratelimittest.Server, *http.Client) {
	t.Helper()
	server := ratelimittest.NewServer(j.limiter(), j.scenario.Dialect)
	t.Cleanup(server.Close)
	server.Handler.Refuse = j.scenario.Refuse
	base := &http.Transport{MaxIdleConnsPerHost: 64} // at least as many as there are workers
	t.Cleanup(base.CloseIdleConnections)
	return server, &http.Client{Transport: c.client(base, j.facts)}
}

// limiter returns a new limiter like the job's.
func (j job) limiter() ratelimittest.Limiter {
	return sim.Fresh(j.scenario.Limiter)
}

// count computes the figures of a run that ratelimittest.Run has not made.
func (j job) count(outcomes []ratelimittest.Outcome, arrivals ratelimittest.Arrivals, begun time.Time) ratelimittest.Figures {
	f := ratelimittest.Figures{
		Made: len(outcomes), Arrivals: arrivals, GapCV: arrivals.GapCV(), Outcomes: [][]ratelimittest.Outcome{outcomes},
		Allowed: len(arrivals.Allowed()), Refused: len(arrivals.Refused()),
		Used: math.NaN(), Jain: math.NaN(),
		Optimum: j.scenario.Load.(ratelimittest.Batch).Optimum(j.limiter(), begun, 0),
	}
	var took []time.Duration
	for _, o := range outcomes {
		if o.Err == nil && o.Status < http.StatusBadRequest {
			f.Served++
			took = append(took, o.End.Sub(o.Start))
		}
		f.Took = max(f.Took, o.End.Sub(begun))
	}
	slices.Sort(took)
	if n := len(took); n > 0 {
		f.Median, f.P99 = took[n/2], took[n*99/100]
	}
	return f
}
