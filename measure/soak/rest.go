package main

import (
	"context"
	"fmt"
	"runtime"
	"time"
)

// longestCall is longer than any request can take.
const longestCall = 2 * time.Minute

// watching pauses all workers now and then, takes samples and prints a line.
func (s *soak) watching(period context.Context, give context.CancelFunc) {
	tick := time.NewTicker(s.every)
	defer tick.Stop()
	for {
		select {
		case <-period.Done():
			return
		case now := <-tick.C:
			stuck := time.AfterFunc(longestCall, func() {
				s.ledger.violate("requests take longer than %v", longestCall)
				give()
			})
			s.gate.Lock() // waits for all requests to end
			stuck.Stop()
			s.rest()
			g := s.sample()
			s.gate.Unlock()
			if period.Err() != nil {
				return // workers have ended meanwhile, so the sample would not compare
			}
			s.samples = append(s.samples, g)
			s.print(now)
		}
	}
}

// rest closes all connections, which may still carry abandoned requests, and then settles the ledger. No
// request may be made meanwhile.
func (s *soak) rest() {
	s.eventually(func() bool { return s.unfinished() == 0 })
	if n := s.unfinished(); n > 0 {
		s.ledger.violate("%d requests wait or are in flight, and there are none", n)
	}
	idle := func() bool {
		for _, p := range s.parties {
			p.transport.CloseIdleConnections()
			p.handler.Reset()
		}
		return s.dialed.Load()+s.plain.open.Load()+s.secure.open.Load() == 0 && s.ledger.running() == 0
	}
	s.eventually(idle)
	if !idle() {
		s.ledger.violate("%d connections and %d handlers are left of no request", s.dialed.Load(), s.ledger.running())
	}
	s.ledger.settle()
}

// unfinished returns the number of requests in the Transports.
func (s *soak) unfinished() (n int) {
	for _, p := range s.parties {
		for _, state := range p.transport.State() {
			n += state.Waiting + state.InFlight
		}
	}
	return n
}

// sample takes the gauges at rest.
func (s *soak) sample() (g gauges) {
	g[heapKiB] = heap()
	g[goroutines] = float64(runtime.NumGoroutine())
	g[timers] = float64(sum(liveTimers()))
	g[requestBodies] = float64(s.ours.Load())
	return g
}

// print writes a line of progress.
func (s *soak) print(now time.Time) {
	partitions := 0
	for _, p := range s.parties {
		partitions += len(p.transport.State())
	}
	g := s.samples[len(s.samples)-1]
	l := s.ledger
	_, _ = fmt.Fprintf(s.out, "%7v %8d requests: %d served, %d throttled, %d refused, %d cancelled, %d failed, %d cut; at rest %d partitions, %.0f KiB, %.0f goroutines, %.0f timers; %d wrong\n",
		now.Sub(s.begun).Round(time.Second), s.made.Load(),
		l.count(served), l.count(throttled), l.count(refused), l.count(cancelled), l.count(failed), l.count(cut),
		partitions, g[heapKiB], g[goroutines], g[timers], l.violated())
}

// eventually waits until ok, for a bounded time.
func (s *soak) eventually(ok func() bool) {
	for deadline := time.Now().Add(s.patience); !ok() && time.Now().Before(deadline); {
		time.Sleep(20 * time.Millisecond)
	}
}
