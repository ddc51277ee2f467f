package bench_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/headway-go/headway/internal/test/figures"
	"github.com/headway-go/headway/internal/test/sim"
	"github.com/headway-go/headway/ratelimittest"
)

const (
	latency = 50 * time.Millisecond
	workers = 16 // of each client on a rate limit
	fleet   = 8  // clients
)

var perMinute = ratelimittest.Policy{Quota: 60, Window: time.Minute}

// A job is a server and a load on it. All contenders do the same jobs.
type job struct {
	server, load string
	scenario     ratelimittest.Scenario
	policy       ratelimittest.Policy // the limit that an evenly paced client keeps to
	facts        facts
	contenders   []contender
	// runs is how often the job is done. Runs begin at different times within a window.
	runs int
	// figures are the names of the figures with a meaning for the job.
	figures []string
	// bounds are the bounds of a contender's figures, by its name.
	bounds map[string]figures.Figures
	// brief says that the job is also done with -short.
	brief bool
}

func (j job) title() string { return j.server + ": " + j.load }

// on returns a job without a load. The whole quota is for one client, unless the policy says otherwise.
func on(server string, l ratelimittest.Limiter, p ratelimittest.Policy) job {
	return job{
		server:     server,
		policy:     p,
		facts:      facts{every: p.Window / time.Duration(p.Quota), window: p.Window, burst: 1},
		contenders: contenders(),
		runs:       12,
		scenario:   ratelimittest.Scenario{Limiter: l, Latency: latency},
	}
}

// batch adds the load of one client with all requests from the start.
func (j job) batch(requests, workers int, bounds figures.Figures) job {
	j.load = fmt.Sprintf("1 client, %d requests, %d at a time", requests, workers)
	j.scenario.Load = ratelimittest.Batch{Requests: requests, Workers: workers}
	j.figures = []string{figures.Refused, figures.Finished, figures.Busiest, figures.Later, figures.Evenness, figures.Median, figures.P99}
	j.bounds = map[string]figures.Figures{us().name: bounds}
	return j
}

// light adds the load of one client that uses three tenths of the quota, at random times from a fixed seed.
func (j job) light(requests int, bounds figures.Figures) job {
	j.load = fmt.Sprintf("1 client, %d requests, by chance, at 30 %% of the limit", requests)
	j.scenario.Load = sim.Poisson(rand.New(rand.NewPCG(1, 2)), requests, j.facts.every*10/3) //nolint:gosec // a fixed seed
	j.figures = []string{figures.Refused, figures.Median, figures.P99}
	j.bounds = map[string]figures.Figures{us().name: bounds}
	return j
}

// fleet adds the load of independent clients that always have more to send.
func (j job) fleet(windows int, bounds figures.Figures) job {
	j.load = fmt.Sprintf("%d clients with more to send than they may, for %d windows", fleet, windows)
	j.scenario.Clients = fleet
	j.scenario.Load = ratelimittest.Batch{For: time.Duration(windows) * j.policy.Window, Workers: workers}
	j.facts.every *= fleet
	j.figures = []string{figures.Refused, figures.Used, figures.Busiest, figures.Later, figures.Evenness, figures.Jain}
	j.bounds = map[string]figures.Figures{us().name: bounds}
	return j
}

// jobs returns all jobs, with headway's bounds.
func jobs() []job {
	counter := on("sliding counter, 60 per minute", &ratelimittest.SlidingCounter{Policy: perMinute}, perMinute).
		batch(600, workers, figures.Figures{figures.Refused: 1, figures.Finished: 1.08, figures.Later: 2.1, figures.Evenness: 0.2})
	both := ratelimittest.Policy{Name: "minute", Quota: 300, Window: time.Minute}
	second := ratelimittest.Policy{Name: "second", Quota: 10, Window: time.Second}
	two := on("two fixed windows at once, 10 per second and 300 per minute", ratelimittest.All(
		&ratelimittest.FixedWindow{Policy: both, Aligned: true}, &ratelimittest.FixedWindow{Policy: second, Aligned: true},
	), both).batch(3000, workers, figures.Figures{figures.Refused: 1, figures.Finished: 1.08, figures.Later: 2.1, figures.Evenness: 0.2})

	frequent := ratelimittest.Policy{Quota: 100, Window: time.Minute}
	light := on("fixed window, 100 per minute", &ratelimittest.FixedWindow{Policy: frequent, Aligned: true}, frequent).
		light(300, figures.Figures{figures.Refused: 1, figures.Median: 0, figures.P99: 0.3})
	light.brief = true

	hourly := ratelimittest.Policy{Quota: 5000, Window: time.Hour}
	fifth := on("fixed window, 5000 per hour", &ratelimittest.FixedWindow{Policy: hourly}, hourly).
		batch(1000, workers, figures.Figures{figures.Refused: 1, figures.Finished: 260})
	fifth.facts.burst = int(hourly.Quota)
	fifth.contenders = slices.Insert(fifth.contenders, 1, measured())
	fifth.bounds[measured().name] = figures.Figures{figures.Refused: 1, figures.Finished: 1.05}
	fifth.figures = []string{figures.Refused, figures.Finished, figures.Median, figures.P99} // it is shorter than a window

	counter.runs, two.runs = fewRuns, fewRuns
	return append([]job{alone(), onBucket(), counter, two, crowded(), light, fifth, shared()}, silentJobs()...)
}

// fewRuns is the number of runs of the longest jobs.
const fewRuns = 4

// onWindows returns a job with fixed windows of a minute, aligned to the clock.
func onWindows() job {
	return on("fixed window, 60 per minute", &ratelimittest.FixedWindow{Policy: perMinute, Aligned: true}, perMinute)
}

// alone returns a job of one client on such windows.
func alone() job {
	j := onWindows().batch(600, workers, figures.Figures{figures.Refused: 1, figures.Finished: 1.17, figures.Later: 2.1, figures.Evenness: 0.2})
	j.brief = true
	return j
}

// onBucket returns a job of one client on a token bucket.
func onBucket() job {
	j := on("token bucket, 60 per minute", &ratelimittest.TokenBucket{Policy: perMinute}, perMinute).
		batch(600, workers, figures.Figures{figures.Refused: 1, figures.Finished: 1.05, figures.Later: 2.1, figures.Evenness: 0.2})
	j.facts.burst = int(perMinute.Quota)
	j.runs = fewRuns
	return j
}

// shared returns a job of several clients with the quota of alone.
func shared() job {
	j := onWindows().fleet(20, figures.Figures{figures.Refused: 20, figures.Used: 0.93, figures.Jain: 0.95})
	j.runs = fewRuns
	return j
}

// crowded returns a job of many goroutines that send at once, on windows of two seconds.
func crowded() job {
	short := ratelimittest.Policy{Quota: 40, Window: 2 * time.Second}
	return on("fixed window, 40 per 2 s", &ratelimittest.FixedWindow{Policy: short}, short).
		batch(200, 50, figures.Figures{figures.Refused: 1, figures.Finished: 1.35, figures.Later: 2.1})
}
