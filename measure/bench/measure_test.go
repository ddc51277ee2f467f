package bench_test

import (
	"fmt"
	"maps"
	"math"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/ratelimittest"
)

// A result is a contender's result in a job.
type result struct {
	contender
	figures figures               // means of all runs
	played  ratelimittest.Figures // the first run, for a picture
}

// measure lets a contender do the job in virtual time.
func (j job) measure(t *testing.T, c contender) result {
	t.Helper()
	r := result{contender: c, figures: figures{}}
	for run := range j.runs {
		start := epoch.Add(j.policy.Window * time.Duration(run) / time.Duration(j.runs))
		played := j.run(t, func(base http.RoundTripper) http.RoundTripper { return c.client(base, j.facts) }, start, run)
		require.Equal(t, played.Made, played.Served, "%v", played)
		for name, figure := range j.read(played, start) {
			r.figures[name] += figure / float64(j.runs)
		}
		if run == 0 {
			r.played = played
		}
	}
	if unset := j.unset[c.name]; unset != nil {
		f := j.run(t, unset, epoch, j.runs)
		r.figures[failed] = 1000 * float64(f.Made-f.Served) / float64(f.Made)
	}
	return r
}

// run does the job once, with clients of one kind.
func (j job) run(t *testing.T, client func(base http.RoundTripper) http.RoundTripper, start time.Time, run int) ratelimittest.Figures {
	t.Helper()
	s, rng := j.scenario, kit.Chance(t, t.Name(), run)
	s.Start = start
	s.NewClient = func(base http.RoundTripper) *http.Client { return &http.Client{Transport: seeded(client(base), rng)} }
	return ratelimittest.Run(t, s)
}

// read returns the job's figures.
func (j job) read(f ratelimittest.Figures, begun time.Time) figures {
	tenth := j.policy.Window / 10
	share := float64(j.policy.Quota) / 10
	rest := f.Arrivals.Between(begun.Add(tenth), begun.Add(math.MaxInt64))
	all := figures{
		refused:  f.RefusedPerMille(),
		finished: f.Slowdown(),
		used:     f.Used,
		busiest:  float64(f.Arrivals.Busiest(tenth)) / share,
		later:    float64(rest.Busiest(tenth)) / share,
		evenness: f.GapCV,
		median:   f.Median.Seconds(),
		p99:      f.P99.Seconds(),
		jain:     f.Jain,
	}
	if j.optimum != nil {
		optimum := j.optimum(begun)
		all[finished], all[added] = f.Took.Seconds()/optimum.Seconds(), (f.Took - optimum).Seconds()
	}
	read := figures{}
	for _, name := range j.figures {
		read[name] = all[name]
	}
	return read
}

// missed returns the bounds that the results do not meet, including the bounds of unknown clients.
func (c comparison) missed() []string {
	var missed, clients []string
	for _, r := range c.results {
		clients = append(clients, r.name)
		for _, figure := range r.figures.missed(c.bounds[r.name]) {
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
