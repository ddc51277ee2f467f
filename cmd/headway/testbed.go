package main

import (
	"net/http"
	"time"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/limits"
)

// A testbed has a Transport to watch, and is its Base. Before a simulation it sends the Transport's
// requests to the server. From then on it sends nothing.
type testbed struct {
	transport  *headway.Transport
	base       http.RoundTripper // nil if nothing is to be sent
	now        func() time.Time
	sent       time.Time   // when the last request was sent
	received   time.Time   // when the last response was received
	simulation *simulation // nil before it begins
}

func newTestbed(base http.RoundTripper, now func() time.Time) *testbed {
	s := &testbed{base: base, now: now}
	// Without jitter the report is the same each time.
	s.transport = &headway.Transport{Base: s, Cost: oneUnit, Jitter: -1, MaxRetries: -1}
	return s
}

// oneUnit makes each request use one unit of every quota, except of bytes. The real use of tokens and the
// like would be learned from many responses.
func oneUnit(_ *http.Request, unit limits.Unit) int64 {
	if unit == limits.ContentBytes {
		return -1 // the real number of bytes
	}
	return 1
}

// RoundTrip implements http.RoundTripper.
func (s *testbed) RoundTrip(req *http.Request) (*http.Response, error) {
	if s.simulation != nil {
		return s.simulation.answer(req)
	}
	s.sent = s.now()
	resp, err := s.base.RoundTrip(req)
	s.received = s.now()
	return resp, err
}

// state returns the Transport's state for requests like req.
func (s *testbed) state(req *http.Request) headway.PartitionState {
	name := headway.DefaultPartition(req)
	for _, p := range s.transport.State() {
		if p.Partition == name {
			return p
		}
	}
	return headway.PartitionState{}
}
