package limit

import "math"

const (
	oddPrice    = 0.25     // of a reading that only others' use explains, against 1 of one that nothing explains. More: others' use confuses. Less: late
	beliefFades = 1.0 / 16 // of a score, per reading. More: rare evidence is forgotten. Less: mistakes are corrected late
	beliefLead  = 1.0      // lead in score with which another candidate is believed. Less: flaps. More: late
	beliefMost  = 4.0      // bound of a score. More: a long-held belief changes late. Less: as beliefLead
)

// A belief says which candidate is believed: the one with the least evidence against it.
type belief struct {
	Scores   [candidates]float64
	Carried  [candidates]float64 // units by which r fell too far or too little, as overtaking and rounding explain
	Believed candidate
}

// weigh adds to each score by how much a reading is off from that candidate's forecast, as a part of what may have been
// used. It reports whether another candidate is believed now, and whether the reading is impossible for the one that was
// believed.
func (l *Limit) weigh(in *report) (changed, wrong bool) {
	b, since := &l.Belief, max(in.Seen-l.Seen, 0)
	noise := math.Sqrt(0.5 + (1-l.Portion(in.Seen))*l.nominal()*since)
	possible := max(min(l.Quota, 1+in.own+l.nominal()*since), 1) / 2
	best, least := asWindow, beliefMost
	for c := range candidates {
		b.carry(c, in)
		price := l.price(&in.forecasts[c], in, noise, possible)
		if in.Left > in.forecasts[c].most+in.above || l.excludes(c, in) {
			price++
			wrong = wrong || c == b.Believed
		}
		score := min(b.Scores[c]*(1-beliefFades)+price, beliefMost)
		if b.Scores[c] = score; score < least-0.001 {
			best, least = c, score
		}
	}
	for c := range candidates {
		b.Scores[c] = max(b.Scores[c]-least, 0)
	}
	if changed = b.Scores[b.Believed] >= beliefLead; changed {
		b.Believed = best
	}
	return changed, wrong
}

// price returns the evidence of a reading against a forecast: by how much it is off, as a part of the possible use.
func (l *Limit) price(f *forecast, in *report, noise, possible float64) (price float64) {
	off := max(f.low-in.below-in.Left, in.Left-f.high-in.above) - noise
	switch {
	case off > 0 && in.Refused:
		price = min(1, off/possible) / 2
	case off > l.Quota/2:
		price = 2
	case off > 0:
		price = min(1, off/possible)
	}
	if !in.Refused && l.Part == nil { // a fleet's use is expected
		price += oddPrice * min(1, math.Abs(f.others)/possible)
	}
	return price
}

// carry sets the units that only others can have used. What overtaking and rounding may explain is carried over to the
// next reading.
func (b *belief) carry(c candidate, in *report) {
	f := &in.forecasts[c]
	rounded := 0.0
	if c != asWindow {
		rounded += 1 + f.unsure/2
	}
	f.others = f.alone - in.Left + b.Carried[c]
	b.Carried[c] = min(max(f.others, -in.Behind-rounded), in.Ahead+rounded)
	f.others -= b.Carried[c]
}

// excludes reports whether a candidate cannot have the end that a reading reports.
func (l *Limit) excludes(c candidate, in *report) bool {
	if !in.end.known() || !l.Ends.known() {
		return false
	}
	switch c {
	case asWindow:
		isSame := !in.rose && in.end.meets(l.Ends)
		return !isSame && (in.Seen <= l.Ends.Lo || in.end.Hi+slack < min(l.Ends.Lo, in.Sent)+l.Window)
	case asCounter:
		return !in.end.meets(l.Ends) && !in.end.meets(l.endAt(in.end.mid()))
	}
	return false
}
