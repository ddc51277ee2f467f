package ratelimittest_test

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

// Run does not change a Scenario, so it can be run again.
func TestScenarioCanBeRunAgain(t *testing.T) {
	s := ratelimittest.Scenario{
		Limiter:   ratelimittest.All(&ratelimittest.Linear{Policy: ratelimittest.Per(100, time.Hour)}, tenPerMinute()),
		NewClient: patient,
		Load:      ratelimittest.Batch{Requests: 25},
	}
	first := ratelimittest.Run(t, s)
	require.Equal(t, 25, first.Allowed)
	require.Equal(t, 2*time.Minute, first.Optimum)
	require.LessOrEqual(t, first.Used, 1.0)
	require.Equal(t, first.String(), ratelimittest.Run(t, s).String())
	require.EqualValues(t, 9, s.Limiter.Take(time.Now(), "", 1).Limits[1].Remaining, "the Limiter itself has decided nothing")
}

// Limiters that change during the run use times after Start.
func TestScenarioChangesInMidRun(t *testing.T) {
	begin := time.Date(2031, time.May, 4, 12, 0, 0, 0, time.UTC)
	f := ratelimittest.Run(t, ratelimittest.Scenario{
		Limiter: &ratelimittest.FixedWindow{Policy: ratelimittest.Policy{
			Window: time.Hour, QuotaAt: lowerQuota(10, 5, begin.Add(time.Hour), begin.Add(2*time.Hour)),
		}},
		Start:     begin,
		NewClient: patient,
		Load:      ratelimittest.Batch{Requests: 20},
	})
	require.Equal(t, 2*time.Hour, f.Took)
	require.Equal(t, 2*time.Hour, f.Optimum)
	require.True(t, f.Arrivals[0].Time.Equal(begin))
}

// A dispatcher is a client with its own goroutine, like an SDK with a queue.
type dispatcher struct {
	jobs chan func()
	gone sync.WaitGroup
}

func newDispatcher() *dispatcher {
	d := &dispatcher{jobs: make(chan func())}
	d.gone.Go(func() {
		for job := range d.jobs {
			job()
		}
	})
	return d
}

func (d *dispatcher) do(ctx context.Context, call func(context.Context) error) (err error) {
	done := make(chan struct{})
	d.jobs <- func() { err = call(ctx); close(done) }
	<-done
	return err
}

func (d *dispatcher) close() {
	close(d.jobs)
	d.gone.Wait()
}

// Clients with their own goroutines are made and closed inside the bubble, one after the other.
func TestScenarioClose(t *testing.T) {
	var dispatchers []*dispatcher
	f := ratelimittest.Run(t, ratelimittest.Scenario{
		Clients: 3,
		NewCall: func(client *http.Client) func(context.Context) error {
			d := newDispatcher()
			dispatchers = append(dispatchers, d)
			get := getting(1)(client)
			return func(ctx context.Context) error { return d.do(ctx, get) }
		},
		Close: func() {
			for _, d := range dispatchers {
				d.close()
			}
		},
		Load:    ratelimittest.Batch{Requests: 2, Workers: 2},
		Latency: time.Second,
	})
	require.Len(t, dispatchers, 3)
	require.Equal(t, 6, f.Served)
	require.Equal(t, 2*time.Second, f.Took)
}

// Run names the invalid field of a Scenario.
func TestScenarioMistakes(t *testing.T) {
	for _, row := range []struct {
		name     string
		scenario ratelimittest.Scenario
		want     string
	}{
		{"a start after the end of the clock", ratelimittest.Scenario{Start: time.Date(9999, time.January, 1, 0, 0, 0, 0, time.UTC)}, "Scenario.Start is 9999-01-01"},
		{"no client", ratelimittest.Scenario{NewClient: func(http.RoundTripper) *http.Client { return nil }}, "Scenario.NewClient returned nil"},
		{"no call", ratelimittest.Scenario{NewCall: func(*http.Client) func(context.Context) error { return nil }}, "Scenario.NewCall returned nil"},
	} {
		t.Run(row.name, func(t *testing.T) {
			output, done := failsInSubprocess(t, func(t *testing.T) {
				t.Helper()
				ratelimittest.Run(t, row.scenario)
			})
			if !done {
				require.Contains(t, output, row.want)
				require.Contains(t, output, "scenario_test.go:", "the line that called Run")
				require.NotContains(t, output, "panic")
			}
		})
	}
}
