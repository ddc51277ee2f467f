package gate

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/pacer"
)

// crowd is how many requests wait at once in BenchmarkWaiter.
const crowd = 1000

// BenchmarkWaiter measures a request from the start of its goroutine until it has waited and has given its place to the
// next request. The wait can be cancelled in both rows. The row without headway waits for a channel with room for one.
func BenchmarkWaiter(b *testing.B) {
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	b.Run("headway", func(b *testing.B) {
		p := newPartition(pacer.Config{MaxRate: -1})
		answer(sentNow(p), onePlace())
		price := newVisit(p).Price
		wait := func() {
			v := Visit{Called: p.settings.Clock.Now(), MaxWait: -1, Price: price} // on the stack, as in a call of RoundTrip
			if refusal, err := p.Enter(ctx, &v); refusal != nil || err != nil {
				b.Error(refusal, err)
			}
			v.state = granted // it was not sent, so that it leaves without a trace
			v.Leave()
		}
		take := func() (open func()) {
			first := sentNow(p)
			first.state = granted
			return first.Leave
		}
		benchmarkWaiters(b, wait, take, func() int {
			p.mu.Lock()
			defer p.mu.Unlock()
			return p.queue.len()
		})
	})
	b.Run("without", func(b *testing.B) {
		place := make(chan struct{}, 1)
		var waiting atomic.Int64
		wait := func() {
			waiting.Add(1)
			select {
			case place <- struct{}{}:
			case <-ctx.Done():
			}
			waiting.Add(-1)
			<-place
		}
		take := func() (open func()) {
			place <- struct{}{}
			return func() { <-place }
		}
		benchmarkWaiters(b, wait, take, func() int { return int(waiting.Load()) })
	})
}

// benchmarkWaiters measures a crowd that waits for the only place in flight.
func benchmarkWaiters(b *testing.B, wait func(), take func() (open func()), waiting func() int) {
	b.Helper()
	b.ReportAllocs()
	for b.Loop() {
		open := take()
		var all sync.WaitGroup
		for range crowd {
			all.Go(wait)
		}
		for waiting() < crowd {
			runtime.Gosched()
		}
		open()
		all.Wait()
	}
	b.ReportMetric(float64(b.Elapsed())/float64(b.N*crowd), "ns/waiter")
}

// onePlace reports a limit of one concurrent request, and a rate limit that is never reached.
func onePlace() *pacer.Answer {
	return &pacer.Answer{RetryAfter: pacer.Unknown, Limits: []limits.Reported{
		{Policy: "many", Quota: 1e12, Remaining: 1e12, Window: time.Minute, Reset: time.Minute},
		{Policy: "place", Unit: limits.ConcurrentRequests, Quota: 1, Remaining: 0, Window: pacer.Unknown, Reset: pacer.Unknown},
	}}
}
