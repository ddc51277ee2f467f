package sim

import (
	"context"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"github.com/headway-go/headway/ratelimittest"
)

// A Schedule is a workload that does not wait for responses. Each request is made at its time after the start of the
// workload, whatever happened to earlier requests. The times must ascend. A request whose time has passed is made at
// once.
type Schedule []time.Duration

// Poisson returns a Schedule of n independent requests, with an average gap of interval (a Poisson process).
func Poisson(rng *rand.Rand, n int, interval time.Duration) Schedule {
	s := make(Schedule, max(n, 0))
	var at time.Duration
	for i := range s {
		at += time.Duration(rng.ExpFloat64() * float64(max(interval, 0)))
		s[i] = at
	}
	return s
}

// Do implements ratelimittest.Workload. The Outcomes are in the order of s. When ctx is done, the remaining calls are made
// at once, and should fail.
func (s Schedule) Do(ctx context.Context, call func(context.Context) (status int, err error)) []ratelimittest.Outcome {
	return s.each(ctx, func(one ratelimittest.Batch) []ratelimittest.Outcome { return one.Do(ctx, call) })
}

// Send is Do with copies of req sent by client, as ratelimittest.Batch.Send.
func (s Schedule) Send(client *http.Client, req *http.Request) []ratelimittest.Outcome {
	return s.each(req.Context(), func(one ratelimittest.Batch) []ratelimittest.Outcome { return one.Send(client, req) })
}

// each makes a batch of one request at each time.
func (s Schedule) each(ctx context.Context, play func(ratelimittest.Batch) []ratelimittest.Outcome) []ratelimittest.Outcome {
	outcomes := make([]ratelimittest.Outcome, len(s))
	begun := time.Now()
	var calls sync.WaitGroup
	for i, at := range s {
		if wait := at - time.Since(begun); wait > 0 {
			timer := time.NewTimer(wait)
			select {
			case <-timer.C:
			case <-ctx.Done():
				timer.Stop()
			}
		}
		calls.Go(func() { outcomes[i] = play(ratelimittest.Batch{Requests: 1})[0] })
	}
	calls.Wait()
	return outcomes
}
