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

// breath is what a worker takes after a call that took no time: in a bubble of
// testing/synctest time would never go on.
const breath = time.Millisecond

// Do is like Batch.Do. A worker makes no more than a thousand calls a second if they take
// no time, be it that nothing has a latency or that they fail at once.
func (b Backlog) Do(ctx context.Context, call func(context.Context) (status int, err error)) []Outcome {
	if b.For <= 0 {
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	var end sync.WaitGroup
	defer end.Wait()
	defer cancel()
	end.Go(func() {
		_ = sleep(ctx, b.For) // or until ctx ends
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
				if o.End.Equal(o.Start) {
					_ = sleep(ctx, breath) // or until the end, which the loop sees
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
