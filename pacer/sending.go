package pacer

// A sending counts requests and time, both of which fade: what was counted d seconds ago loses d/60. So their quotient is
// the rate of about the last minute.
type sending struct{ at, requests, seconds float64 }

const sendingFades = 60.0 // seconds. Longer: steadier. Shorter: more recent

func (s *sending) add(now, requests float64) {
	since := 0.0
	if s.at > 0 { // not the first request
		since = min(max(now-s.at, 0), sendingFades)
	}
	left := 1 - since/sendingFades
	*s = sending{now, s.requests*left + requests, s.seconds*left + since}
}

// perSecond returns the rate now.
func (s sending) perSecond(now float64) float64 {
	s.add(now, 0)
	return s.requests / max(s.seconds, 1)
}
