package bench_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/figures"
	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/ratelimittest"
)

// epoch is when the first run begins.
var epoch = time.Date(2030, time.January, 1, 0, 0, 0, 0, time.UTC)

// A comparison holds the results of a job.
type comparison struct {
	job
	results []result // one for each contender, headway first
}

// A result is a contender's result in a job.
type result struct {
	contender
	figures figures.Figures       // means of all runs
	played  ratelimittest.Figures // the first run, for a picture
}

// compare lets all contenders do a job in virtual time, and checks their bounds. If one is missed, three times the runs
// decide: the mean of a few runs misses a bound by chance now and then.
func (j job) compare(t *testing.T) comparison {
	t.Helper()
	oneProcessor(t)
	c := comparison{job: j, results: j.measureAll(t)}
	if missed := c.missed(); len(missed) > 0 {
		t.Logf("measured again with three times the runs: %v", missed)
		j.runs *= 3
		c.results = j.measureAll(t)
	}
	require.Empty(t, c.missed())
	return c
}

func (j job) measureAll(t *testing.T) []result {
	t.Helper()
	var all []result
	for _, contender := range j.contenders {
		all = append(all, j.measure(t, contender))
	}
	return all
}

// measure lets a contender do the job several times.
func (j job) measure(t *testing.T, c contender) result {
	t.Helper()
	r := result{contender: c, figures: figures.Figures{}}
	for run := range j.runs {
		s, rng := j.scenario, kit.Chance(t, t.Name(), run)
		s.Start = epoch.Add(j.policy.Window * time.Duration(run) / time.Duration(j.runs))
		s.NewClient = func(base http.RoundTripper) *http.Client {
			return &http.Client{Transport: seeded(c.client(base, j.facts), rng)}
		}
		played := ratelimittest.Run(t, s)
		require.Equal(t, played.Made, played.Served, "%v", played)
		for name, figure := range figures.Of(played, s, j.policy) {
			if slices.Contains(j.figures, name) {
				r.figures[name] += figure / float64(j.runs)
			}
		}
		if run == 0 {
			r.played = played
		}
	}
	return r
}

// seeded returns client, with a seed that rng draws if client is headway. The random numbers of other clients cannot be
// seeded.
func seeded(client http.RoundTripper, rng *rand.Rand) http.RoundTripper {
	if transport, isHeadway := client.(*headway.Transport); isHeadway {
		return kit.SeededBy(rng, transport)
	}
	return client
}

// oneProcessor limits the test to one processor. A bubble hardly uses more. With two processors the race detector of
// Go 1.26 crashes when two goroutines of a bubble look at expired timers at the same time. The SDK makes such timers, see
// ticking.
func oneProcessor(t *testing.T) {
	t.Helper()
	before := runtime.GOMAXPROCS(1)
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })
}

// missed returns the bounds that the results do not meet, including the bounds of unknown clients.
func (c comparison) missed() []string {
	var missed, clients []string
	for _, r := range c.results {
		clients = append(clients, r.name)
		for _, figure := range r.figures.Missed(c.bounds[r.name]) {
			missed = append(missed, r.name+", "+figure)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.bounds)) {
		if !slices.Contains(clients, name) {
			missed = append(missed, fmt.Sprintf("there is no client %q", name))
		}
	}
	return missed
}
