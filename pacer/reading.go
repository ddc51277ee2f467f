package pacer

import (
	"math"
	"time"
)

// farReset is how many times longer than the window a reset is that is not
// believed before it is told twice.
const farReset = 10

// A reading is one answer's news of a limit, set against what was known.
type reading struct {
	now      Instant
	cost     int64 // of the request, in units
	own      int64 // units of this client's own since the last reading
	left     int64 // r
	came     int64 // units that are there again
	returned bool  // more than answers that overtook each other can explain
	rose     bool  // there is more than before, so that they are not units that were never used
	refused  bool
	reset    time.Duration
	end      span
	sure     bool // the window's length was told
	overtaking
}

// overtaking is what was in flight beside a request that is answered: units of those sent
// later, which may have overtaken it, and of those sent earlier, which it may have
// overtaken even if they were answered before. It is told with Config.Measured alone.
// Even slots leave so few in flight together that they matter little, and there a share
// that looks a little low at first makes a better start where a limit turns out to be a
// sliding one: 1.06 of the optimum against 1.12 on sliding counters.
type overtaking struct{ later, earlier int64 }

// told takes in what an answer says of the limit to a request that was charged so
// much; later is how many were sent after it. u in [0, 1) is drawn per answer.
func (l *limit) told(now Instant, t *Ticket, cost, units, later int64, o overtaking, in *Limit, refused bool, u float64) {
	first := l.seq == 0 || l.remaining == Unknown
	last := l.lastEnd()
	l.policy(in, refused)
	if l.guessed {
		l.end = last.shift(l.window) // the window may be longer than it was when it was begun
	}
	if in.Remaining >= 0 {
		end := resetSpan(now, t.sent, in.Reset)
		if first {
			l.end, l.entry = end, uint8(u*entryParts)
			// Of those that were sent before, no more than are used can be of this window.
			l.began = max(l.began, units-max(cost, l.quota-in.Remaining))
			if l.windFrom == told && in.Reset > l.window-2*time.Second {
				// The window has just begun, so whoever has used it is using it now.
				l.observe(o, units, l.quota-in.Remaining)
			}
		} else {
			own := units - l.mark
			came := in.Remaining - max(0, l.remaining-own)
			if l.estimate != nil {
				// What requests use is an estimate, so only more than before is sure to have come back.
				came = max(0, in.Remaining-l.remaining)
			}
			returned := came > l.doubtful(t, cost, later, refused)
			rose := returned && in.Remaining > l.remaining
			l.follow(&reading{
				now: now, cost: cost, own: own, overtaking: o, left: in.Remaining, came: came,
				// Requests that are free also make it seem that units came back, but not more than there were.
				returned: returned && (rose || !l.refill.wary), rose: rose,
				refused: refused, reset: in.Reset, end: end, sure: l.windFrom == told,
			}, u)
		}
		l.remaining, l.mark, l.refill.unsure = in.Remaining, units, uint16(min(later, math.MaxUint16))
	}
	if first || in.Remaining >= 0 {
		l.sent, l.at = t.sent, now
	}
	l.seq = t.seq
}

// doubtful is how many units may seem to have come back although none has, because
// requests overtake each other. The server may not have counted those that were in flight
// when this one was sent, nor this one if it was refused, nor those that were lost, and may
// have counted when r was told last what was sent after the request that this answered.
func (l *limit) doubtful(t *Ticket, cost, later int64, refused bool) int64 {
	requests := t.beside + int64(l.refill.unsure)
	if cost == 0 {
		requests += later // it was not charged, and goes by all that were sent until now
	}
	if refused {
		requests++
	}
	units := requests * max(1, cost)
	if t.sent < l.at {
		units += l.quota / 2 // it may have been counted before the last one, and any number of others' in between
	}
	return units
}

// policy takes in the quota and the window.
func (l *limit) policy(in *Limit, refused bool) {
	switch {
	case in.Quota >= 0:
		l.quota, l.quotaFrom = in.Quota, told
	case l.quotaFrom == seen:
		l.quota = max(l.quota, in.Remaining)
	}
	switch {
	case in.Window > 0:
		l.window, l.windFrom = in.Window, told
	case refused && in.Reset > 2*l.window, l.window > 0 && in.Reset/farReset > l.window && l.reach() <= 2*l.window:
		// May be a penalty's, or a mistake: the next success tells.
	case l.windFrom == seen:
		l.window = max(l.window, in.Reset)
	case l.windFrom == measured && in.Reset > l.window+2*time.Second:
		l.window, l.windFrom = in.Reset, seen
	}
}

// follow learns from a reading that is not the first.
func (l *limit) follow(r *reading, u float64) {
	if l.windFrom != told && l.receded(r) {
		// The end that was told before was not one: begin anew.
		l.restart(r, u)
		return
	}
	old, guessed := l.lastEnd(), l.guessed
	if r.returned && r.now < old.lo.Add(-time.Second) {
		l.refill.early = true
	}
	fresh := l.turn(r)
	if fresh && !guessed {
		l.began = l.mark
	}
	if fresh {
		l.entry = uint8(u * entryParts)
		l.fade(r.left)
	}
	l.rushed(r, fresh, l.mark+r.own-l.began)
	if l.quotaFrom == seen {
		l.kept().best = max(l.kept().best, r.left)
	}
	switch {
	case fresh && l.slides(r, old):
		l.refill.prove()
		l.observe(r.overtaking, r.own, l.remaining-r.left)
		l.share = share{} // gathered under a wrong belief
	case fresh:
		l.observe(r.overtaking, max(r.own, r.cost), l.quota-r.left)
		if l.windFrom != told {
			l.measure(r, old)
		}
	case guessed: // and wrongly: there is nothing to compare with
	default:
		own := r.own
		if r.refused {
			own -= r.cost
		}
		l.observe(r.overtaking, own, l.remaining-r.left)
	}
	if !l.refills() {
		return
	}
	// To know whether others use it takes longer than all the rest.
	matters := l.refill.strain > 1 || r.left < max(l.quota/2, lowLeast)
	if l.part() != nil {
		l.refill.adjustTogether(r, l.part().share, l.passed(r))
	} else {
		l.refill.adjust(r, l.quota, matters && l.alone(r), l.passed(r))
	}
	if l.refill.proven() && l.refill.doubt(r, l.quota) && r.reset > l.window/stepMost {
		l.refill = refill{doubted: true, wary: l.refill.wary || l.refill.spared}
	}
}

// restart forgets what was concluded from an end that was none.
func (l *limit) restart(r *reading, u float64) {
	if l.reach() <= 2*l.window { // else it was never believed
		l.window, l.windFrom = r.reset, seen
	}
	l.end, l.began, l.entry = r.end, l.mark, uint8(u*entryParts)
	l.aside, l.guessed = l.aside.keepLasting(), false
	l.recent, l.refill, l.share = recent{}, refill{}, share{}
}

// observe learns this client's share from how far r fell while own units were spent.
// Requests overtake each other: r may have fallen for those sent later, too, and not
// yet for those sent before. As much as they explain is no news of others' use before
// they are answered. Where costs are estimates, what others use shows in them.
//
// Say that of two requests sent together the server counts the second first: then r is 9
// of 10 for the second, and 8 for the first. If the first is answered first, r fell by two
// for one own unit, and one is unsettled until the second is answered: one more own unit,
// for which r does not fall.
func (l *limit) observe(o overtaking, own, fall int64) {
	if l.estimate != nil {
		return
	}
	fall += int64(l.unsettled)
	most, least := min(max(o.later, 0), math.MaxInt8), max(-o.earlier, math.MinInt8)
	l.unsettled = int8(min(max(fall-own, least), most))
	l.share.observe(own, fall-int64(l.unsettled), l.quota)
}

// alone reports whether this client's own requests of the last window explain what
// is used, or are too many to be counted. Where costs are estimates, what others use
// shows in them.
func (l *limit) alone(r *reading) bool {
	own := l.recent.sum(r.now, l.window)
	return l.estimate != nil || float64(own+roundedUse) >= ownUse*float64(l.quota-r.left) || l.recent.saturated()
}

// fade forgets a quota that was only seen, and not in this window or the last.
func (l *limit) fade(left int64) {
	if l.quotaFrom != seen {
		return
	}
	quota := max(l.kept().best, left)
	if quota < l.quota/2 {
		l.share = share{} // gathered under a wrong belief
	}
	l.quota, l.aside.best = quota, 0
}
