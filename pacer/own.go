package pacer

// A sending counts requests and time, both of which fade: what was counted d seconds ago loses d/60. So their quotient is
// the rate of about the last minute.
type sending struct{ at, requests, seconds float64 }

const sendingFades = 60.0 // seconds. Longer: steadier. Shorter: more recent

func (s *sending) add(now float64, cost int64) {
	s.pass(now)
	s.requests += float64(cost)
}

func (s *sending) pass(now float64) {
	since := min(max(now-s.at, 0), sendingFades)
	if s.at == 0 { // the first request
		since = 0
	}
	left := 1 - since/sendingFades
	s.at, s.requests, s.seconds = now, s.requests*left, s.seconds*left+since
}

// perSecond returns the rate now.
func (s sending) perSecond(now float64) float64 {
	s.pass(now)
	return s.requests / max(s.seconds, 1)
}
