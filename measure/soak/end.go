package main

import (
	"bytes"
	"runtime/pprof"
)

// end closes everything, and checks that nothing is left. Allowed are one timer of each Transport for
// forgetting idle partitions, as many stopped timers, of which the runtime keeps a few, and what the
// standard library keeps for the next connection.
func (s *soak) end() {
	s.rest()
	for _, server := range s.servers() {
		server.stop(true)
	}
	atMost := gauges{heapKiB: 1024, timers: float64(2 * len(s.parties))}
	s.parties = nil
	left := func() (left gauges) {
		for i, now := range s.sample() {
			left[i] = max(0, now-s.idle[i]-atMost[i])
		}
		return left
	}
	s.eventually(func() bool { return left() == gauges{} })
	for i, more := range left() {
		if more > 0 {
			s.ledger.violate("at the end there are %.0f too many: %s", more, gaugeKinds()[i].name)
		}
	}
	if left()[timers] > 0 {
		s.ledger.violate("timers are of: %v", liveTimers())
	}
	if left()[goroutines] > 0 {
		var dump bytes.Buffer
		_ = pprof.Lookup("goroutine").WriteTo(&dump, 1) // writes to memory, so there is no error
		s.ledger.violate("goroutines:\n%s", dump.String())
	}
}
