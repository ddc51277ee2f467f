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

// These are the names of the comparison's figures, besides those of TestSilence.
const (
	busiest  = "busiest tenth" // most requests in any tenth of a window, divided by an even share
	later    = "later"         // busiest tenth after the first tenth of the first window
	evenness = "CV of gaps"    // of the requests' arrivals
	median   = "p50 s"         // time that a call takes longer than without limits
	p99      = "p99 s"
	jain     = "Jain" // fairness between clients
)

func comparisonColumns() []column {
	return []column{
		{refused, "%.1f", false},
		{finished, "%.2f", false},
		{used, "%.2f", true},
		{busiest, "%.1f", false},
		{later, "%.1f", false},
		{evenness, "%.2f", false},
		{median, "%.2f", false},
		{p99, "%.2f", false},
		{jain, "%.2f", true},
	}
}

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
		s := j.scenario
		s.Start = epoch.Add(j.policy.Window * time.Duration(run) / time.Duration(j.runs))
		rng := kit.Chance(t, t.Name(), run)
		s.NewClient = func(base http.RoundTripper) *http.Client {
			return &http.Client{Transport: seeded(c.client(base, j.facts), rng)}
		}
		played := ratelimittest.Run(t, s)
		require.Equal(t, played.Made, played.Served, "%v", played)
		for name, figure := range j.read(played, s.Start) {
			r.figures[name] += figure / float64(j.runs)
		}
		if run == 0 {
			r.played = played
		}
	}
	return r
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
		for _, figure := range r.figures.missed(c.bounds[r.name], comparisonColumns()) {
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
