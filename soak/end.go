package main

import (
	"bytes"
	"runtime/pprof"
	"time"
)

// What may be left when all is over, beyond what there was before: the timer of each
// Transport by which it forgets idle partitions, and what the standard library keeps for
// the next connection.
const (
	heapLeft       = 1024 // KiB
	goroutinesLeft = 0
)

// end closes everything, and checks that nothing is left.
func (s *soak) end() {
	s.eventually(func() bool { waiting, inFlight, _ := s.state(); return waiting+inFlight == 0 })
	if waiting, inFlight, _ := s.state(); waiting+inFlight > 0 {
		s.ledger.wrong("at the end %d requests wait and %d are in flight", waiting, inFlight)
	}
	for _, p := range s.parties {
		p.transport.CloseIdleConnections()
	}
	for _, server := range s.servers() {
		server.stop(true)
	}
	atMost := [len(gauges{})]float64{heapKiB: heapLeft, goroutines: goroutinesLeft, timers: float64(len(s.parties))}
	left := func() (left gauges) {
		for i, now := range s.sample() {
			left[i] = now - s.idle[i] - atMost[i]
		}
		return left
	}
	s.ledger.settle(time.Now(), time.Now())
	for _, p := range s.parties {
		p.handler.Log.Reset()
	}
	s.parties = nil
	s.eventually(func() bool {
		for _, more := range left() {
			if more > 0 {
				return false
			}
		}
		return true
	})
	for i, more := range left() {
		if more > 0 {
			s.ledger.wrong("at the end there are %.0f too many: %s", more, gaugeKinds()[i].name)
			if i == goroutines {
				var dump bytes.Buffer
				_ = pprof.Lookup("goroutine").WriteTo(&dump, 1)
				s.ledger.wrong("they are:\n%s", dump.String())
			}
		}
	}
}

// eventually waits for a while until ok.
func (s *soak) eventually(ok func() bool) {
	for deadline := time.Now().Add(s.patience); !ok() && time.Now().Before(deadline); {
		time.Sleep(50 * time.Millisecond)
	}
}
