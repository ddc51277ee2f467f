package limit

const (
	peakFades = 60.0  // seconds in which a guess falls to a third while r is as large as it gets. Longer: slow at a bucket that holds little. Shorter: refusals
	peakCalm  = 300.0 // seconds after a refusal until it falls so fast. Longer: slow. Shorter: refusals
	peakBusy  = 3.0   // units at the pace since the last reading that were not used: more show that the client was idle, and nothing else
)

// A refill measures a window whose length no response reports by units that come back one by one: it is the time in
// which the whole quota comes back.
//
// An example with q = 100: r rises from 40 to 42 in 3 s, in which three requests were sent. Five units came back in
// 3 s, give or take one, so w is between 50 and 75 s.
type refill struct {
	Begun, Full start   // the beginning of counting, and the last reading with r as large as it gets
	Refused     float64 // the last refusal with nothing left
}

// A start is where counting begins: the time, r, and own units.
type start struct{ At, Left, Units float64 }

// back returns how long ago counting began, and how many units have come back since.
func (s *start) back(in *report) (passed, units float64) {
	return in.Seen - s.At, in.Left - s.Left + in.Units - s.Units
}

// TooShort lengthens a guess after a refusal that does not report r, if little was left. It reports whether it was.
func (l *Limit) TooShort(now float64) bool {
	if l.Length == nil || l.Left < 0 || l.Left-l.own() >= 2 {
		return false
	}
	if l.Length.Refill.Refused <= l.Seen { // once for each reading, as a server may refuse for long
		l.Window = min(l.Window/guessFades, max(l.Window, intervalMost))
	}
	l.Length.Refill.Refused = now
	return true
}

// measureRefill changes a guess that the reading contradicts.
func (l *Limit) measureRefill(in *report) {
	m, refills := &l.Length.Refill, l.Belief.Believed != asWindow
	if in.Refused { // it was not used
		m.Begun.Units += in.Cost
		m.Full.Units += in.Cost
		if in.Left < 1 {
			m.Refused = in.Seen
			l.Window = max(l.Window, min(in.Wait, 2*l.Window, intervalMost))
		}
	}
	passed, back := m.Begun.back(in)
	isFaster := passed > 0 && back > 1 && l.Quota*passed/(back-1) < l.Window // than all of the quota in a window
	if refills && passed > 0 {
		passed = l.correctRefill(in, passed, back, isFaster)
	}
	now := start{in.Seen, in.Left, in.Units}
	if in.Left < 1 && m.Begun.Left >= 1 || passed > 2*l.Window { // counting begins again
		m.Begun = now
	}
	if in.Left+in.Cost >= l.holds() {
		m.Full = now
	}
	if refills {
		l.fadeRefill(in, isFaster)
	}
}

// correctRefill lowers the guess if units come back faster, and raises it after a refusal if they come more slowly. It
// returns the time over which it has counted.
func (l *Limit) correctRefill(in *report, passed, back float64, isFaster bool) float64 {
	m, b := &l.Length.Refill, l.Belief.Believed
	switch {
	case isFaster && b == asBucket:
		l.Window = max(l.Quota*passed/(back-1), rounding)
	case in.Refused && in.Left < 1 && m.Begun.Left < 1 && in.Seen > m.Full.At:
		if m.Full.At > m.Begun.At { // what came while it was full is lost
			passed, back = m.Full.back(in)
		}
		l.Window = max(l.Window, min(2*l.Window, l.Quota*passed/(back+1), intervalMost))
	}
	return passed
}

// fadeRefill lowers the guess if own units within it should be missing but are not, or while r is as large as it gets:
// then more may come back than the server holds.
func (l *Limit) fadeRefill(in *report, isFaster bool) {
	b, full := l.Belief.Believed, in.Left+in.Cost
	if isFaster && b != asBucket {
		mine, used := l.since(in.Sent-l.Window)-(l.Units-in.Units), l.Quota-in.Left+in.above+1
		if mine > used {
			l.Window *= max(guessFades, used/mine)
		}
	}
	isBusy := (in.Seen-l.Seen)*l.nominal()*l.Portion(in.Seen)-in.own <= peakBusy
	if isBusy && full >= l.holds() && (full >= l.Quota || b == asBucket && l.isQuiet(in.Seen)) {
		calm := min(1, (in.Seen-l.Length.Refill.Refused)/peakCalm)
		l.Window *= 1 - min(0.5, calm*calm*(in.Seen-l.Seen)/peakFades)
	}
}
