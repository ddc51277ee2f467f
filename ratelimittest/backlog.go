package ratelimittest

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// A Backlog is a workload of more requests than can be sent. Each worker makes its next call as soon as it
// has a response, until For is over. If For is 0 or negative, no call is made. If Workers is 0 or negative,
// there is one worker.
//
// Calls in flight at the end are cancelled, and are missing in the Outcomes. Their context has no deadline,
// so the client cannot plan for the end. With Scenario.Duration the client sees a deadline.
type Backlog struct {
	For     time.Duration // the time from the first call to the end
	Workers int           // the number of calls in flight at a time, waiting calls included
}

// minPause is the pause of a worker after a call that took no time. Without it the clock of a
// testing/synctest bubble would stand still for ever.
const minPause = time.Millisecond

// Do implements Workload, see Batch.Do. If calls take no time, because there is no latency or they fail at
// once, each worker makes at most a thousand calls a second.
func (b Backlog) Do(ctx context.Context, call func(context.Context) (status int, err error)) []Outcome {
	if b.For <= 0 {
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	var end sync.WaitGroup
	defer end.Wait()
	defer cancel()
	end.Go(func() {
		_ = sleep(ctx, b.For)
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
					_ = sleep(ctx, minPause) // an error means the end, which the loop checks
				}
			}
		})
	}
	workers.Wait()
	return outcomes
}

// Send is Do with copies of req sent by client, see Batch.Send.
func (b Backlog) Send(client *http.Client, req *http.Request) []Outcome {
	return b.Do(req.Context(), sender(client, req))
}
