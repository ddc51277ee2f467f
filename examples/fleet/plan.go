package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/headway-go/headway/ratelimittest"
)

// A plan says what the example does.
type plan struct {
	quota     int64
	window    time.Duration
	processes int
	kill      time.Duration // when the last process is killed, after the first request
	end       time.Duration // when the others have to end; later if one of them has sent nothing since kill
}

var errStopped = errors.New("stopped")

const (
	awaitMost = 10 * time.Second // in which each process must have sent something
	awaitStep = 10 * time.Millisecond
)

// run carries out the plan, with the store in a folder or at a URL.
func (p plan) run(ctx context.Context, store string) (*result, error) {
	server := ratelimittest.NewServer(&ratelimittest.FixedWindow{Policy: ratelimittest.Per(p.quota, p.window)}, ratelimittest.Draft10)
	defer server.Close()
	key := make([]byte, 32)
	_, _ = rand.Read(key) // never fails, as its documentation says

	processes := make([]*process, p.processes)
	for i := range processes {
		var err error
		processes[i], err = launch(ctx, orders{API: server.URL + path(i), Store: store, Key: key})
		if err != nil {
			return nil, err
		}
		defer processes[i].kill()
	}
	log := server.Handler
	if err := p.await(ctx, log, p.processes, time.Time{}); err != nil {
		return nil, err
	}
	r := &result{plan: p, begun: log.Arrivals()[0].Time}
	living, last := processes[:p.processes-1], processes[p.processes-1]

	pause(ctx, time.Until(r.begun.Add(p.kill)))
	last.kill()
	r.killed = time.Now()
	pause(ctx, time.Until(r.begun.Add(p.end)))
	if err := p.await(ctx, log, len(living), r.killed); err != nil {
		return nil, err
	}
	r.ended = time.Now()
	for _, one := range living {
		one.stop()
	}
	for _, one := range living {
		report, err := one.report()
		if err != nil {
			return nil, err
		}
		r.reports = append(r.reports, report)
	}
	r.arrivals = log.Arrivals()
	return r, nil
}

// await returns once each of the first processes has sent something since the given time.
func (p plan) await(ctx context.Context, log *ratelimittest.Handler, processes int, since time.Time) error {
	for begun := time.Now(); ; pause(ctx, awaitStep) {
		senders := make(map[string]bool)
		for _, a := range log.Arrivals() {
			senders[a.Path] = senders[a.Path] || !a.Time.Before(since)
		}
		silent := 0
		for i := range processes {
			if !senders[path(i)] {
				silent++
			}
		}
		switch {
		case ctx.Err() != nil:
			return errStopped
		case silent == 0:
			return nil
		case time.Since(begun) > awaitMost:
			return fmt.Errorf("%d of %d processes send nothing", silent, processes)
		}
	}
}

// path returns the path of a process's requests, by which the log identifies the process. For headway all
// paths are the same route, as it ignores numbers in paths.
func path(process int) string { return fmt.Sprintf("/%d", process+1) }

// pause returns after d, or when ctx ends.
func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
