package limit

import "math"

// A Part is what a fleet allots to this client, in place of the estimated share. Of a limit that refills it is a share
// of the pace, and of a window a number of units.
type Part struct {
	Share, Even      float64 // this client's share, and an even one; 0: no part is allotted yet
	Units, Next      float64 // of the window that ends about at End, and of each other one
	End, Until       float64 // Until: when the part expires
	Left, ReportedAt float64 // r as another client reports it, and when; negative: unknown
	Full             bool    // no client gets a larger part
	Refills          bool    // others have found that the limit refills
}

// ClockError is by how many seconds clocks of several clients differ at most. Less: older reports count as newer, and
// clients prolong each other's holds for ever.
const ClockError = 0.5

// Allotted returns the part that counts; nil: none.
func (l *Limit) Allotted(now float64) *Part {
	if l.Part != nil && now < l.Part.Until && l.IsShareable() {
		return l.Part
	}
	return nil
}

// IsShareable reports whether a fleet can divide the limit.
func (l *Limit) IsShareable() bool { return l.IsPaced() && (l.Length == nil || l.Length.HasResets) }

// Await makes a new member of a fleet wait for its part, until a time.
func (l *Limit) Await(until float64) {
	l.Granted = true
	l.Part = &Part{Until: until}
}

// Allot takes over a part, and the remaining quota that another client reports, if it is newer. It reports whether it
// is. When the part expires, the measured share begins at the part, or at an even one if that is more.
func (l *Limit) Allot(now float64, in *Part, burst float64) (isNews bool) {
	isFirst := l.Part != nil && l.Part.Share == 0
	p := *in
	if p.Share = min(p.Share, 1); !(p.Share >= eps) { // or NaN
		p.Share = eps
	}
	p.Units, p.Next = max(p.Units, 0), max(p.Next, 0)
	l.Part = &p
	_, most := l.memory()
	l.Share = share{Own: (max(p.Share, p.Even) * most), All: most}
	l.Share.settle()
	if isNews = l.isNews(now, &p); isNews {
		l.Ends = l.endAt(now)
		l.Left, l.Mark, l.Ahead, l.Behind = min(p.Left, l.Quota), l.Units, 0, 0
		l.Sent, l.Seen = p.ReportedAt, p.ReportedAt
	}
	if isFirst && l.Line.At <= now { // the part is for this client alone; after a hold it comes back at a random time instead
		next := l.Slot(now, 1)
		l.Line.Grant(now, l.tolerance(now, burst, &next))
	}
	return isNews
}

// isNews reports whether what another client reports of this window is newer. With an own request in flight it may or
// may not include that. Of a limit that refills it never counts: all clients would slow down at once.
func (l *Limit) isNews(now float64, p *Part) bool {
	end := l.endAt(now)
	isOfWindow := end.known() && p.ReportedAt >= end.Hi-l.Window && p.ReportedAt <= min(now, end.Lo)
	return isOfWindow && p.Left >= 0 && p.ReportedAt-l.Seen > ClockError && l.candidate(now) == asWindow && l.Units <= l.Mark
}

// allot makes the curve that of a window with as many units as are allotted, for this client alone.
func (s *supply) allot(at float64) {
	units := s.partUnits(s.endAt(at))
	sent := s.since(s.Ends.Lo-s.Window) - s.own() // in the window of the last reading, up to it
	s.remains = min(s.remains, s.partUnits(s.Ends)-sent)
	if s.n = units / s.Window; units == 0 {
		s.n = s.nominal() * s.s
	}
	s.total, s.s = units, 1
}

// PartShare returns the part; 1 if none is allotted.
func (l *Limit) PartShare(now float64) float64 {
	if p := l.Allotted(now); p != nil && p.Share > 0 {
		return p.Share
	}
	return 1
}

// partUnits returns how many units of the window with that end are allotted.
func (l *Limit) partUnits(end span) float64 {
	if end.known() && math.Abs(end.mid()-l.Part.End) >= l.Window/2 {
		return l.Part.Next
	}
	return l.Part.Units
}

// A Use is what the other clients of a fleet need to know.
type Use struct {
	Used, Left, End    float64 // own units in the window that is open; r, if it is of that window, else −1; about when it ends
	Units, Next, Share float64 // as allotted
	Refills            bool    // for certain
}

// Use returns the own use, since the earliest time at which the window may have begun: a fleet allots the rest.
func (l *Limit) Use(now float64) Use {
	e := l.endAt(now)
	u := Use{Used: l.since(e.Lo - l.Window), Left: -1, End: e.mid(), Refills: l.Belief.Scores[asWindow] > beliefLead}
	if now <= l.Ends.Hi {
		u.Left = l.Left
	}
	if p := l.Allotted(now); p != nil {
		u.Units, u.Next, u.Share = l.partUnits(e), p.Next, p.Share
	}
	return u
}
