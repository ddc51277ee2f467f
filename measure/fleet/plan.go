//go:build unix

package main

import (
	"time"

	"github.com/headway-go/headway/ratelimittest"
)

const latency = 20 * time.Millisecond // of the server, half of it before it counts a request

// A form is a length of runs, with the bounds for their figures.
type form struct {
	processes int
	isFolder  bool                  // the members meet in a folder
	dialect   ratelimittest.Dialect // nil: that of the draft
	workers   int                   // per process; each always has a request to send

	quota    int64
	window   time.Duration
	warmUp   time.Duration // before anything is measured, at least; measuring begins with a window
	measured time.Duration // whole windows
	strike   time.Duration // when the fault begins, after the start of measuring
	faults   durations
	atOnce   int  // runs at a time
	times    int  // how often each run without a fault is made
	all      bool // faults with all limits, not with windows only
	sound    bounds
	faulty   bounds
}

// durations are the durations of faults.
type durations struct{ down, paused, cutOff time.Duration }

// bounds are the bounds for a fleet's figures.
type bounds struct {
	refused    float64 // per 1000 served, at most
	used, jain float64 // at least
}

func fullForm() form {
	return form{
		processes: 8, workers: 8, quota: 400, window: 10 * time.Second,
		warmUp: 20 * time.Second, measured: 70 * time.Second, strike: 15 * time.Second,
		faults: durations{down: 5 * time.Second, paused: 10 * time.Second, cutOff: 20 * time.Second},
		atOnce: 5, times: 3, all: true,
		sound:  bounds{refused: 5, used: 0.95, jain: 0.97},
		faulty: bounds{refused: 20, used: 0.9, jain: 0.7},
	}
}

func shortForm() form {
	return form{
		processes: 8, workers: 8, quota: 200, window: 5 * time.Second,
		warmUp: 5 * time.Second, measured: 15 * time.Second, strike: 2 * time.Second,
		faults: durations{down: 4 * time.Second, paused: 5 * time.Second, cutOff: 5 * time.Second},
		atOnce: 4, times: 1,
		sound:  bounds{refused: 20, used: 0.85, jain: 0.9},
		faulty: bounds{refused: 100, used: 0.7, jain: 0.7},
	}
}

// A run is one measurement.
type run struct {
	limit string
	fleet bool // false: headers alone
	fault fault
}

func (r *run) String() string {
	how := "headers alone"
	if r.fleet {
		how = "a fleet"
	}
	if r.fault.name == "" {
		return r.limit + ", " + how
	}
	return r.limit + ", " + how + ", " + r.fault.name
}

const (
	fixed  = "fixed window"
	linear = "linear"
)

// plan returns all runs. Equal runs follow each other.
func (f *form) plan() (runs []*run) {
	limits := []string{fixed, linear}
	for _, limit := range limits {
		for _, fleet := range []bool{true, false} {
			for range f.times {
				runs = append(runs, &run{limit: limit, fleet: fleet})
			}
		}
	}
	if !f.all {
		limits = limits[:1]
	}
	for _, fault := range f.faults.all() {
		for _, limit := range limits {
			runs = append(runs, &run{limit: limit, fleet: true, fault: fault})
		}
	}
	return runs
}

func (f *form) limiter(limit string) ratelimittest.Limiter {
	if limit == linear {
		return &ratelimittest.Linear{Policy: ratelimittest.Per(f.quota, f.window)}
	}
	l := &ratelimittest.FixedWindow{Policy: ratelimittest.Per(f.quota, f.window)}
	l.Aligned = true
	return l
}

// span returns the measured time of a run that began at begun: whole windows.
func (f *form) span(begun time.Time) (from, to time.Time) {
	from = begun.Add(f.warmUp)
	if start := from.Truncate(f.window); start.Before(from) {
		from = start.Add(f.window)
	}
	return from, from.Add(f.measured)
}
