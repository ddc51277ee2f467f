package limit

// NoBurst says that there is no first burst: the next request goes one interval after now.
func (l *Limit) NoBurst(now float64) {
	l.Granted = true
	l.Line.Take(now, now, 0, 0, 1, 1)
}

// Unserved notes units that the server has not counted, because it refused them.
func (l *Limit) Unserved(n float64) {
	l.Mark += n
	l.forget(n)
}

// Refund takes back a charge, of a request that was never sent or has not used the limit.
func (l *Limit) Refund(now, units, n float64) {
	l.Units -= n
	l.forget(n)
	if l.Mark >= units {
		l.Mark -= n
	}
	l.Line.Refund(now, n, l.Slot(now, 1).Interval)
}

// IsPaced reports whether the limit gives a pace.
func (l *Limit) IsPaced() bool { return l.Quota > 0 && l.Window > 0 }

// Usual returns the interval after a request of that cost, whatever is left; 0: unknown.
func (l *Limit) Usual(now, cost float64) float64 {
	n := l.nominal()
	if n == 0 {
		return 0
	}
	if p := l.Allotted(now); p == nil || p.Share > 0 {
		n *= l.portion(now)
	}
	return min(cost/n, l.longest(now))
}

// Refused learns from a refusal with r = 0.
func (l *Limit) Refused() {
	if l.Part == nil && l.Share.of() < 0.95 {
		l.Share.cut()
	}
}

// ComeBack moves the first slot after a hold to a time: that one if the server has told it, else the pace goes on.
func (l *Limit) ComeBack(at float64, isTold bool) {
	l.Granted = true // a refused client gets no first burst
	if !isTold {
		at = max(at, l.Slot(l.Seen, 1).At)
	}
	l.Line.Grant(at, 0)
}

// IsAlone reports whether no other client is known to use the limit.
func (l *Limit) IsAlone() bool { return l.portion(l.Seen) == 1 }

// Ended returns when the window of the last reading ended, if it is a window and had ended when a request was sent.
func (l *Limit) Ended(sent float64) float64 {
	if l.Belief.Believed == asWindow && sent > l.Ends.Hi {
		return l.Ends.Hi
	}
	return 0
}

// IsTrusted reports whether a wait until a time needs no check: it is no longer than a window whose length is reported, whose
// end was seen, or which nothing contradicts yet. A mistake of hours would stop requests for too long, so it is no longer
// than a guess either.
func (l *Limit) IsTrusted(until float64) bool {
	sure := l.Window
	if l.Length != nil && (l.Length.Confirmed > 0 || l.Belief.Believed != asWindow) {
		sure = l.Length.Confirmed
	}
	return until <= l.Seen+min(sure, mostGuess)+2*rounding
}

// NeedsReading reports whether only a response can show that there are units.
func (l *Limit) NeedsReading(now float64) bool {
	return l.Length != nil && l.Belief.Believed == asWindow && l.Ends.known() && now > l.Ends.Hi
}

// Relearn forgets what was learned from wrong readings.
func (l *Limit) Relearn() { l.Belief, l.Share = belief{}, share{} }

// Sibling returns a limit of the same size of which nothing is known.
func (l *Limit) Sibling(now float64) Limit {
	s := New(now)
	s.Quota, s.Window, s.HasQuota, s.Granted = l.Quota, l.Window, l.HasQuota, true
	if l.Length != nil {
		s.Length = &length{}
	}
	return s
}

// Over reports whether every report has expired. A window counts as most seconds at most.
func (l *Limit) Over(now, most float64) bool {
	return now > l.Ends.Hi && now > l.Seen+min(l.Window, most)
}

// Fall returns by how much r falls to left, and how much may have come back.
func (l *Limit) Fall(now, left float64) (fall, back float64) {
	if l.candidate(now) != asWindow {
		back = max(min(l.nominal()*(now-l.Seen), l.Quota-left), 0)
	}
	return min(l.Left-left, l.Quota), back
}

// candidate returns what the limit is taken for: the believed candidate, or what a fleet has found out. All members of a
// fleet do the same.
func (l *Limit) candidate(now float64) candidate {
	p := l.Allotted(now)
	switch {
	case p == nil:
		return l.Belief.Believed
	case p.Refills:
		return asBucket
	}
	return asWindow
}

// A View is what is known of a limit, for people to look at.
type View struct {
	Quota, Left      float64 // what is left now; −1: unknown
	LatestEnd, Share float64 // LatestEnd: the latest end of the window; 0: unknown
	Refills, Agreed  bool    // Agreed: a fleet has allotted a part
}

// Show returns what is known.
func (l *Limit) Show(now float64) View {
	p, e := l.Allotted(now), l.endAt(now)
	v := View{
		Quota: l.Quota, Left: -1, LatestEnd: e.Hi, Share: l.portion(now), Refills: l.candidate(now) != asWindow,
		Agreed: p != nil && p.Share > 0,
	}
	if l.Quota == 0 && !l.HasQuota {
		v.Quota = -1
	}
	switch {
	case l.Left < 0:
		return v
	case !v.Refills && now > l.Ends.Hi && e.known() && l.Window > 0:
		v.Left = max(0, l.Quota-l.since(e.Hi-l.Window))
	default:
		v.Left = max(0, l.Left-l.own())
	}
	if !e.known() && l.Window > 0 {
		v.LatestEnd = l.Seen + l.Window
	}
	return v
}
