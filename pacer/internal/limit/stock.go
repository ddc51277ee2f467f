package limit

import "math"

const (
	paceMost  = 2.0 // times q/w. More: bursts at the end of windows. Less: units stay unused
	paceLeast = 0.2 // times q/w. More: refusals. Less: stalls at a wrong reading
)

// back returns how many units come back between the last reading and a time.
func (s *supply) back(t float64, b bound) (n float64) {
	for i := range s.log {
		g := s.grant(i)
		if g.from > t { // so do all later ones
			break
		}
		n += max(0, g.granted(t, b)-g.granted(s.Seen, likely))
	}
	for i := range s.fixed[:s.grants-len(s.log)] {
		g := &s.fixed[i]
		switch {
		case g.kind != full:
			n += max(0, g.granted(t, b)-g.granted(s.Seen, likely))
		case g.until >= s.Seen: // a window that ends at once has ended
			n += g.granted(t, b)
		}
	}
	return n
}

// stock returns how many units are there at a time, for all clients.
func (s *supply) stock(t float64) float64 {
	if t == s.at {
		return s.there
	}
	s.at, s.there = t, s.total
	if s.Left >= 0 {
		s.there = s.count(t)
	}
	return s.there
}

func (s *supply) count(t float64) float64 {
	most, own := s.total, s.own()
	switch s.as {
	case asWindow:
		for i := len(s.fixed) - 1; i >= 0; i-- { // the last window that has ended
			if g := &s.fixed[i]; g.until <= t && g.until >= s.Seen {
				return g.units - s.since(g.until) - (1-s.s)*s.n*(t-g.until)
			}
		}
		return min(most, s.remains-own-s.others*max(t-s.Seen, 0))
	case asBucket:
		most = min(most, max(s.holds(), s.need)) // what was there of late may not be all that it holds
	default: // what is older than the history has come back
		own = min(own, s.since(s.Sent+eps))
	}
	return min(most, s.remains+s.back(t, likely)-own-s.others*max(t-s.Seen, 0))
}

// suffices reports whether the stock is enough for a request. Of units that come all at once at least one must be
// this client's, unless it has sent none since they came.
func (s *supply) suffices(t, need float64) bool {
	stock := s.stock(t)
	if s.s < 1 {
		need -= 0.5
	}
	if stock < need-eps {
		return false
	}
	if s.as != asWindow || s.s == 1 || (stock+0.5)*s.s >= 1 {
		return true
	}
	return t > s.Ends.Hi && s.since(max(s.endAt(t).Hi, t)-s.Window) == 0 // of an unknown end: none for a window
}

// opens returns when a request that needs so many units may go, at t or later; 0 if it may go at t.
func (s *supply) opens(t, need float64) float64 {
	if s.isPlenty(t, need) {
		return 0
	}
	need = min(need, max(s.total, 1))
	s.need, s.at = need, math.Inf(-1)
	at, after := t, s.Ends.Hi+s.doubt()
	if !s.suffices(t, need) {
		if at = s.Seen + s.Window; s.as == asWindow {
			at = max(t+s.Window, s.Ends.Hi)
		}
		at = max(min(at, s.reaches(t, need)), t)
	}
	if at >= s.Ends.Hi && at < after {
		return after
	}
	if at == t {
		return 0
	}
	return at
}

// isPlenty reports whether the units of the last reading are enough for a request, whatever comes back until it goes.
// Without this most requests take a tenth longer to plan.
func (s *supply) isPlenty(t, need float64) bool {
	hasBegun := s.as == asWindow && t >= s.Ends.Hi // another window
	return s.Part == nil && s.s == 1 && !hasBegun && min(s.Left-s.own(), s.total) >= need
}

// doubt returns how much later than the end of a window the next request goes: a second, or less at a short window. It is
// 0 if a whole quota comes back then for certain.
func (s *supply) doubt() float64 {
	switch {
	case s.as != asWindow || !s.isDoubtful() || s.Window <= 2*rounding:
		return 0
	case s.Length != nil && !s.Length.HasResets:
		return min(1/s.n, rounding)
	}
	return min(rounding, s.Window/10)
}

// reaches returns when the stock will be enough after a time, if that follows from the grants.
func (s *supply) reaches(t, need float64) float64 {
	at, stock, slope, came := math.Inf(1), s.stock(t), -s.others, 0.0
	for i := range s.grants {
		g := s.grant(i)
		switch {
		case g.until <= t:
		case g.kind == evenly || g.kind == others:
			if g.from <= t {
				slope += g.units / (g.until - g.from)
			}
		default:
			if came += g.units; g.kind == full && g.units > 0 || stock+came >= need {
				at = min(at, g.until)
			}
		}
	}
	if slope > 0 && stock < need {
		at = min(at, t+(need-stock)/slope)
	}
	return at
}

// pace returns the fastest constant rate, for all clients together, that never runs dry within a window.
func (s *supply) pace(t float64) float64 {
	w, stock := s.Window, s.stock(t)
	low, high := paceMost*s.n, math.Inf(1)
	if s.as == asWindow {
		for i := range s.fixed {
			if g := &s.fixed[i]; g.until > t && g.until <= t+w+eps {
				if low = min(low, stock/(g.until-t)); g.from > t {
					high = min(high, (stock+1)/(g.from-t))
				}
			}
		}
	} else {
		low = min(low, (stock+s.back(t+w, likely)-s.back(t, likely))/w)
	}
	return max(min(max(s.n, low), high), s.n*paceLeast)
}
