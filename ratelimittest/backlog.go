package ratelimittest

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// A Backlog is a workload of more requests than can be sent: as soon as a worker has a
// response it makes its next call, until the time is over. Zero or negative For: no calls.
// Zero or negative Workers: one.
//
// What is under way at the end is cancelled and left out of the Outcomes. No deadline
// tells of it beforehand, as one does of Scenario.Duration, by which a client could plan.
type Backlog struct {
	For     time.Duration // from the first call
	Workers int           // how many are sent, or wait to be, at a time
}

// Do is like Batch.Do. A worker ends early if a call of its fails without taking any time,
// for in a bubble of testing/synctest time would never go on.
func (b Backlog) Do(ctx context.Context, call func(context.Context) (status int, err error)) []Outcome {
	if b.For <= 0 {
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	var end sync.WaitGroup
	defer end.Wait()
	defer cancel()
	end.Go(func() {
		_ = sleep(ctx, b.For) // or until all workers have ended
		cancel()
	})
	var mu sync.Mutex
	var outcomes []Outcome
	var workers sync.WaitGroup
	for range max(b.Workers, 1) {
		workers.Go(func() {
			for ctx.Err() == nil {
				var o Outcome
				do(ctx, &o, call)
				if ctx.Err() != nil {
					return
				}
				mu.Lock()
				outcomes = append(outcomes, o)
				mu.Unlock()
				if o.Err != nil && o.End.Equal(o.Start) {
					return
				}
			}
		})
	}
	workers.Wait()
	return outcomes
}

// Send is to Backlog.Do what Batch.Send is to Batch.Do.
func (b Backlog) Send(client *http.Client, req *http.Request) []Outcome {
	return b.Do(req.Context(), sender(client, req))
}
