package bench_test

import (
	"context"
	"sync"
	"time"

	"github.com/headway-go/headway/ratelimittest"
)

// lasting is a ratelimittest.Workload that never runs out of requests until its time is over.
type lasting struct {
	time    time.Duration
	workers int
}

// Do implements ratelimittest.Workload. Calls that the end cuts off are left out. No
// deadline tells of it, for which clients could plan.
func (l lasting) Do(ctx context.Context, call func(context.Context) (status int, err error)) []ratelimittest.Outcome {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer time.AfterFunc(l.time, cancel).Stop()
	var mu sync.Mutex
	var outcomes []ratelimittest.Outcome
	var all sync.WaitGroup
	for range l.workers {
		all.Go(func() {
			for {
				o := ratelimittest.Outcome{Start: time.Now()}
				o.Status, o.Err = call(ctx)
				o.End = time.Now()
				if ctx.Err() != nil {
					return
				}
				mu.Lock()
				outcomes = append(outcomes, o)
				mu.Unlock()
			}
		})
	}
	all.Wait()
	return outcomes
}
