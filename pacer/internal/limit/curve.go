package limit

import "math"

// A candidate is an algorithm that the server may use.
type candidate uint8

const (
	asWindow candidate = iota
	asBucket
	asCounter
	asLog
	candidates
)

// A kind says how the units of a grant come.
type kind uint8

const (
	evenly kind = iota // at a constant rate
	once               // all at one unknown moment
	full               // the same, and they fill the quota
	others             // about evenly, but perhaps at once
)

// A bound says how much is assumed to have come at a time.
type bound uint8

const (
	late    bound = iota // what has certainly come
	likely               // what is expected
	early                // as soon as expected
	extreme              // as soon as possible
)

// A grant is units that come back between two times.
type grant struct {
	from, until, units float64
	kind               kind
}

// granted returns how many units of the grant have come by a time.
func (g *grant) granted(t float64, b bound) float64 {
	switch {
	case t >= g.until:
		return g.units
	case t < g.from:
		return 0
	case g.kind == evenly, g.kind == others && b != extreme, b == likely:
		return g.units * (t - g.from) / (g.until - g.from)
	case b == late:
		return 0
	}
	return g.units
}

// A supply is the curve of one candidate around a time: when units come back, from the last reading on.
type supply struct {
	*Limit
	as      candidate
	mine    *Part    // what a fleet allots; nil: nothing, or all as the server sees it
	total   float64  // q, or what is allotted of it
	remains float64  // r, or what is left of that
	n, s    float64  // total/w, and the share of that
	others  float64  // units per second that other clients are expected to use
	log     []entry  // of a log: own units that come back
	fixed   [3]grant // the other grants, in the order in which they end
	grants  int      // how many there are

	at, there, need float64 // the last time for which the stock was counted, the stock, and what a request needs of it
}

// draw sets the curve around a time. q and w must be known.
func (s *supply) draw(at float64) {
	s.total, s.remains, s.n, s.s, s.at = s.Quota, s.Left, s.nominal(), s.Portion(at), math.Inf(-1)
	if s.mine != nil && s.as == asWindow {
		s.allot(at + eps)
	}
	switch s.as {
	case asWindow:
		s.drawWindow(at)
	case asBucket:
		long := max(at-s.Seen, 0) + 3*s.Window
		s.fixed[0], s.grants = grant{s.Seen, s.Seen + long, s.n * long, evenly}, 1
	case asCounter:
		s.drawCounter()
	case asLog:
		s.drawLog()
	}
	if s.s < 1 && s.Part == nil {
		s.others = (1 - s.s) * s.pace(s.Seen)
	}
}

func (s *supply) drawWindow(at float64) {
	w, e := s.Window, s.Ends
	if at > e.Hi {
		e = e.shift(w * math.Floor((at-e.Hi)/w))
	}
	for k := range s.fixed {
		s.fixed[k] = grant{e.Lo + w*float64(k), e.Hi + w*float64(k), s.total, full}
		if s.mine != nil {
			s.fixed[k].units = s.partUnits(e.shift(w * float64(k+1)))
		}
	}
	s.grants = 3
}

func (s *supply) drawCounter() {
	w, mid := s.Window, s.Ends.mid()
	if s.Ends.Hi-s.Ends.Lo >= w { // its windows may begin at any time
		s.fixed[0], s.grants = grant{s.Seen, s.Seen + w, s.total - s.remains, evenly}, 1
		return
	}
	later := s.since(max(mid, s.Seen))
	s.fixed = [3]grant{
		{mid - w, mid, s.Before, evenly}, {mid, mid + w, s.current() + s.since(s.Seen) - later, evenly}, {mid + w, mid + 2*w, later, evenly},
	}
	s.grants = 3
}

func (s *supply) drawLog() {
	w := s.Window
	mine := s.since(s.Sent-w) - s.since(s.Sent+eps)
	s.log = s.History.Own
	for len(s.log) > 0 && s.grant(0).until <= s.Sent {
		s.log = s.log[1:]
	}
	s.fixed[0], s.grants = grant{s.Seen, s.Seen + w, max(s.total-s.remains-mine, 0), others}, 1+len(s.log)
}

// grant returns the ith grant, in the order in which the grants end.
func (s *supply) grant(i int) grant {
	if i < len(s.log) {
		e := &s.log[i]
		return grant{e.First + s.Window, e.Last + s.Window + s.Spread, e.Units, once}
	}
	return s.fixed[i-len(s.log)]
}
