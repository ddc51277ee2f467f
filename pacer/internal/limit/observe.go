package limit

import "math"

// 1/confirmPart of the window and of the remaining quota is little. More: readings cost more time. Less: others' use
// shows late.
const confirmPart = 64.0

// A report is a reading with what follows from it and the last one.
type report struct {
	*Reading

	end          span    // when the window ends, as reported
	own, sure    float64 // own units since the last reading, and what of them is no estimate
	above, below float64 // r may be off by so much, because responses overtake each other
	rose, fresh  bool    // more came back than overtaking explains; it is the first reading of another window
	next         span    // when its window ends
	forecasts    *[candidates]forecast
}

// Observe learns from a reading. Readings come in the order in which their requests were sent.
func (l *Limit) Observe(r *Reading) {
	if l.Part != nil && r.Seen >= l.Part.Until {
		l.Part = nil
	}
	if l.skip(r) {
		return
	}
	in := report{
		Reading: r, end: l.reportedEnd(r), own: max(r.Units-l.Mark, 0),
		above: r.Behind + l.Ahead, below: r.Ahead + l.Behind,
	}
	if l.Part != nil && l.Ahead > 0 { // the server may have seen it before the last one, and others' requests between them
		in.above += l.Quota
	}
	if r.Refused {
		in.above += r.Cost
		l.Proven = l.Proven || in.end.known()
	}
	switch {
	case l.Left < 0 || !l.IsPaced(): // there is nothing to compare it with
		if l.Ends = in.end; !l.Ends.known() && l.Window > 0 { // it ends within a window
			l.Ends = span{r.Sent, r.Seen + min(l.Window, intervalMost)}
		}
		l.commit(r, r.Left)
	case l.confirms(&in):
		l.peak(r.Seen, r.Left+r.Cost)
	default:
		l.compare(in)
	}
}

// skip skips a reading of a window that has ended, and reports whether it did. Then only the policy counts, and the pace is
// even. Quick refusals say nothing of how long other responses take.
func (l *Limit) skip(r *Reading) bool {
	if isLate := r.Took > blindPart*l.Window; isLate || !r.Refused {
		l.Blind = isLate && l.IsPaced() && l.Length == nil
	}
	if l.Blind {
		l.Left, l.Mark, l.Sent, l.Seen, l.Granted = r.Left, r.Units, r.Sent, r.Seen, true
	}
	return l.Blind
}

// compare learns from how a reading differs from what the candidates expect.
func (l *Limit) compare(in report) { // a copy, so that the forecasts stay on the stack
	r := in.Reading
	in.sure = in.own
	if r.Estimated > 0 { // it may be too high, so it proves no rise
		in.sure = 0
	}
	in.rose = r.Left > l.Left-in.sure+in.above+0.01
	in.fresh = l.begins(&in)
	if l.Length != nil {
		l.measure(&in)
	}
	in.next = l.next(&in)
	in.forecasts = new([candidates]forecast)
	left := l.expect(&in)
	l.Proven = l.Proven || in.fresh
	changed, wrong := l.weigh(&in)
	if in.fresh {
		l.Before = l.usedBefore(&in)
	}
	l.Ends = in.next
	if r.Estimated == 0 {
		l.proveOthers(&in)
		if !changed && !wrong && l.Part == nil {
			l.observeShare(&in)
		}
	}
	l.commit(r, left)
}

// confirms reports whether a reading says, soon after the last one, what own units explain. It then only narrows when
// the window ends.
func (l *Limit) confirms(in *report) bool {
	isMeasured := l.Length != nil && !l.Length.HasResets
	if isMeasured || l.Part != nil || in.Refused || in.Estimated > 0 || in.Left < 1 || in.Seen-l.Seen > l.Window/confirmPart {
		return false
	}
	little, since := l.Left/confirmPart, in.Seen-l.Seen
	hasEnd := l.Belief.Believed == asWindow || l.Belief.Believed == asCounter
	off, above, below := in.Left-(l.Left-in.own), in.above+little, in.below+little
	if !hasEnd { // units come back until it is full, and r is rounded in both readings
		back := min(l.nominal()*since, l.holds()-l.Left+in.own)
		above, below = above+back, in.below+min(little, 2-back)
	}
	switch {
	case in.own > 4*little, off > above, -off > below,
		hasEnd && in.end.known() && (in.Seen > l.Ends.Lo || !in.end.meets(l.Ends)):
		return false
	case hasEnd:
		l.Ends = l.Ends.and(in.end)
	}
	return true
}

// commit makes a reading the last one. left is its r, with a fraction.
func (l *Limit) commit(r *Reading, left float64) {
	l.Spread = max(r.Seen-r.Sent, l.Spread*15/16)
	l.Left, l.Mark, l.Sent, l.Seen = left, r.Units, r.Sent, r.Seen
	l.Ahead, l.Behind = r.Ahead, r.Behind
	l.peak(r.Seen, r.Left+r.Cost)
}

// A forecast is the r that a candidate expects.
type forecast struct {
	low, high float64 // if other clients go on as before
	most      float64 // the largest that is possible
	alone     float64 // if nobody else used the quota
	unsure    float64 // alone may be off by so much
	own       float64 // own units since, or since the window began
	others    float64 // units that only others can have used, see weigh
}

// expect makes the forecasts of all candidates. It returns r with the fraction that a believed bucket knows: servers
// round r down.
func (l *Limit) expect(in *report) (left float64) {
	for c := range candidates {
		in.forecasts[c] = l.forecast(c, in)
	}
	left = in.Left
	bucket := &in.forecasts[asBucket]
	if l.Belief.Believed == asBucket && !in.Refused {
		left = min(max(min(bucket.alone, l.holds()-in.Cost), left), left+0.99)
	}
	bucket.alone += in.Left - left
	return left
}

// forecast makes the forecast of one candidate.
func (l *Limit) forecast(c candidate, in *report) (f forecast) {
	s := supply{Limit: l, as: c}
	s.draw(in.Seen)
	since, q, full, rounded := max(in.Seen-l.Seen, 0), l.Quota, l.Quota, 1.0
	if c != asWindow && l.isQuiet(in.Seen) {
		full = min(q, l.holds())
	}
	own, part := in.own, 1.0
	if c == asWindow && in.Estimated > 0 {
		part = in.Estimated
		own *= part
	}
	f.own = own
	if f.alone = l.Left - f.own; c != asWindow {
		f.alone = min(l.Left+s.back((in.Sent+in.Seen)/2, likely), full) - f.own
	} else if rounded = 0; in.fresh {
		f.own = part * max(l.since(min(in.next.Hi-l.Window, in.Sent))-(l.Units-in.Units), 0)
		f.alone = q - f.own
	}
	least, soon, most := s.back(in.Sent, late), s.back(in.Seen, early), q-in.Cost
	f.low = max(0, min(l.Left+least, full)-own-max(s.others*since, (1-s.s)*s.n*since))
	f.high = max(0, min(l.Left+soon-own, most)-s.others*since) + rounded
	f.most = max(0, min(l.Left+s.back(in.Seen+(in.Seen-in.Sent), extreme)-in.sure, most)) + rounded
	f.unsure = soon - least
	if l.Part != nil {
		f.low, f.high = 0, f.most
	}
	return f
}

// proveOthers notes when others certainly used units: r fell by more than own units, or too little was left. A refusal
// by a bucket whose window is a guess proves only that the guess is too short.
func (l *Limit) proveOthers(in *report) {
	isGuess := l.Length != nil && l.Belief.Believed == asBucket
	fell := math.Floor(l.Left)-in.own-in.Left-in.Ahead > 0.5
	if fell || in.Refused && in.Left == 0 && !isGuess {
		l.History.OthersAt = in.Seen
	}
}
