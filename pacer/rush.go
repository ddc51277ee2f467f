package pacer

import (
	"math"
	"time"
)

const (
	rushProof = 2   // windows in a row whose quota is used up early: one may be that somebody joins
	rushSeen  = 4   // so many where it may be no window: units that come back bit by bit can look like that
	rushLate  = 0.6 // of a window; what is used up later is not early
	rushEarly = 8   // and in this part of it nothing is, for each window that has shown it

	rushSlow  = 1.25 // by which a quota is expected to last longer with every window
	rushMost  = 20   // such windows until it lasts for all of one: it lasts for a hundredth now
	rushQuick = 0.8  // of what was expected, in which it is used up if the rush is still on

	rushBlind = 8 // by how much sooner who came too late expects it to be used up

	rushExponent = 0.76 // as shareExponent: who does not hold back does not make room, either
)

// rush is how soon the quota of a window is used up where others take at once all
// there is: clients that send until they are refused, and come back when they are told
// to. A client that would spread its share over the whole window gets next to nothing
// of it then, and a refusal for nearly every request. So it spreads it over the time
// that the quota lasts, and expects it to last a little longer in every window, so that
// clients that only rush each other come to rest.
type rush struct {
	haste uint8 // windows after which the quota is expected to last for all of one again
	early uint8 // windows in a row whose quota was used up early
	open  bool  // this window was seen to begin, and its quota not to be used up
}

// lasts is the part of a window that its quota is expected to last, in (0, 1].
func (r *rush) lasts() float64 {
	if r.haste == 0 {
		return 1
	}
	return math.Pow(rushSlow, -float64(r.haste))
}

// lasting is the part of a window that its quota lasts, in (0, 1].
func (l *limit) lasting() float64 {
	if l.refills() || l.part() != nil {
		return 1
	}
	return l.rush.lasts()
}

// mine is the share that this client goes by.
func (l *limit) mine() float64 {
	if l.lasting() < 1 {
		return l.share.raised(rushExponent)
	}
	return l.portion()
}

// calm is how much of the window there will be when its quota is used up.
func (l *limit) calm() time.Duration { return scale(l.window, 1-l.lasting()) }

// entrance is the time over which clients of this quota come back after it was used up.
func (l *limit) entrance() time.Duration {
	first := min(l.interval(), l.window) // as one request per window is everybody's
	if part := l.part(); part != nil {   // however little is needed
		first = min(interval(l.nominal()*part.even), l.window/2) // the rest is to send them in
	}
	return scale(first, l.lasting())
}

// rushed learns how long the quota of a window lasts, which this client used so
// many units of.
func (l *limit) rushed(r *reading, fresh bool, own int64) {
	if l.estimate != nil || l.refills() || !l.end.known() || l.window <= 0 {
		return // where costs are estimates, it could be this client that uses so much
	}
	if fresh {
		l.rush.next()
	}
	if !l.rush.open || l.suffices(r.left) {
		return
	}
	l.rush.open = false
	part := 1 - float64(l.end.mid().Sub(r.now))/float64(l.window)
	part *= float64(l.quota) / float64(max(1, l.quota-r.left)) // the rest goes as quickly
	proof := uint8(rushProof)
	if l.windFrom == seen || l.refill.evidence > 0 {
		proof = rushSeen
	}
	l.rush.usedUp(part, own > l.quota/2, r.refused && own <= 1, proof)
}

// next begins a window.
func (r *rush) next() {
	if r.open {
		r.early = 0
	}
	if r.haste > 0 {
		if r.haste--; r.haste == 0 {
			r.early = 0
		}
	}
	r.open = true
}

// usedUp takes in that a quota lasted for that part of its window, mostly for this
// client or not. One that came blindly, to find it used up, knows only that it did not
// last longer. So many windows in a row are proof.
func (r *rush) usedUp(part float64, mine, blind bool, proof uint8) {
	switch {
	case mine || part > rushLate:
		if !blind {
			r.early = 0
		}
		return
	case r.early < math.MaxUint8:
		r.early++
	}
	if r.early < proof || part*rushEarly > float64(r.early)+1 {
		return
	}
	if blind {
		part /= rushBlind
	}
	if part < rushQuick*r.lasts() {
		r.haste = hasteOf(part)
	}
}

// hasteOf is the haste where a quota lasts for about that part of a window, which is
// less than one.
func hasteOf(part float64) uint8 {
	return uint8(math.Round(min(rushMost, -math.Log(max(part, 0))/math.Log(rushSlow))))
}
