package main

import (
	"net/http"
	"time"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/parse"
)

// A stage has a Transport to be watched, and is its Base: what the Transport sends goes
// out until a rehearsal begins, and stays there from then on.
type stage struct {
	transport *headway.Transport
	base      http.RoundTripper // nil if nothing is to go out
	now       func() time.Time
	sent      time.Time  // when the last request went out
	received  time.Time  // when the last response came in
	rehearsal *rehearsal // nil until it begins
}

func newStage(base http.RoundTripper, now func() time.Time) *stage {
	s := &stage{base: base, now: now}
	// Without jitter, so that what it says is true in general.
	s.transport = &headway.Transport{Base: s, Cost: oneUnit, Jitter: -1, MaxRetries: -1}
	return s
}

// oneUnit has each request use one unit of every quota, as what requests use of tokens
// and the like is learned from many answers.
func oneUnit(_ *http.Request, unit parse.Unit) int64 {
	if unit == parse.ContentBytes {
		return -1 // as many as it has
	}
	return 1
}

// RoundTrip implements http.RoundTripper.
func (s *stage) RoundTrip(req *http.Request) (*http.Response, error) {
	if s.rehearsal != nil {
		return s.rehearsal.answer(req)
	}
	s.sent = s.now()
	resp, err := s.base.RoundTrip(req)
	s.received = s.now()
	return resp, err
}

// state is what the Transport knows and plans for requests like that one.
func (s *stage) state(req *http.Request) headway.PartitionState {
	name := headway.DefaultPartition(req)
	for _, p := range s.transport.State() {
		if p.Partition == name {
			return p
		}
	}
	return headway.PartitionState{}
}
