package pacer

import (
	"math"
	"time"
)

const (
	refillProof = 2 // pieces of evidence
	slideProof  = 3 // what requests that are free cannot explain

	reserve      = 1    // requests that are kept back: r is rounded down, and a slot can come early by its jitter
	reserveShare = 0.02 // of the quota, the range in which the pace falls to half
	spendUp      = 0.3  // how much faster than nominal a full quota is spent

	untouchedShare = 0.16 // of a quota of which nothing has come back yet: the part that is made to last
	untouchedLeast = 0.1  // of the rate, at least: it may be about to come back

	strainRefused = 1.5 // factors by which to slow down
	strainEmpty   = 1.4
	strainLow     = 4 // the logarithm of that per window, while next to nothing is left and others use it, too
	strainPlenty  = 4 // by which to speed up again when nearly all is there
	strainMost    = 1000
	strainShared  = 8    // and for how long, if the window was told: then there are many, or one who takes all there is
	lowShare      = 0.04 // of a quota: less is next to nothing, and
	lowLeast      = 3    // so is less than so many units

	easeAlone  = 0.4  // of the rate per window: what is given back to a client that is alone, or has half a quota left
	easeShared = 0.02 // to all others
	ownUse     = 0.9  // of what is used: who has used so much is alone
	roundedUse = 2    // units that seem to be used because r is rounded down, and windows are not exact

	stillUnits = 3  // an end that stays where it is for so long and so many units is a window's
	freeUnits  = 16 // so many if units seemed to come back although there never was more than before
	freeMost   = 3  // and r fell by more than one in so many
	stillTime  = 3 * time.Second
	dryPart    = 2 // parts of a window; nothing comes back for one of them, and
	dryLeast   = 2 * time.Second
	stepMost   = 8 // a nearer end, in parts of the window, may be that of a step in which units come back
)

// refill is how a limit is paced that gives units back bit by bit (linear,
// bucket, sliding, exponential) instead of all at a window's end, once that is
// proven. It does not stop at zero: for such a limit r = 0 on a success is the
// normal state of a client that uses all of it. But see limit.asks.
type refill struct {
	evidence uint8
	wary     bool    // was doubted: units that seem to come back may be requests that are free
	doubted  bool    // was proven once, and it was wrong
	spared   bool    // units seemed to come back while the end was still
	dry      bool    // a refusal told that nothing comes back before a window ends, so that is what it is
	early    bool    // units came back before the end that was told
	unsure   uint16  // requests, at most as many as fit, that r as told last may have counted already, or that may never be, see doubtful (here because there is room)
	came     float32 // units that came back
	strain   float32 // how much slower than nominal this client goes; 0 stands for 1

	still *still // what speaks for a window; nil: nothing yet
}

// A still is how long the end that was told has not moved, as that of a window.
type still struct {
	end         span
	units, fell float32 // own units sent in that time, and by how much r fell for them
	since       Instant
}

func (f *refill) suspect() {
	f.evidence++
	f.dry = false
}

func (f *refill) prove() { f.evidence = slideProof }

func (f *refill) proven() bool { return f.evidence >= refillProof }

// rate is the pace with so many units there. Below the reserve it falls to half.
// Above it, units are spent a little faster than they come back, once a whole quota
// has come back: a log gives nothing back for a window, and in the next one only at
// the pace of the first. While nothing has come back yet, the last units are made to
// last until it does.
func (f *refill) rate(nominal, level, quota, each float64) float64 {
	rate := nominal / f.slowdown()
	if f.came == 0 {
		return rate * min(1, max(untouchedLeast, (level+0.5)/(untouchedShare*quota)))
	}
	if float64(f.came) > quota {
		rate *= 1 + spendUp*level/quota
	}
	return rate * min(1, 0.5+0.5*max(0, level-reserve*each)/max(each, reserveShare*quota))
}

// adjust slows down when the quota runs dry and speeds up again while there is more:
// others use it too, or a window is longer than was believed. part is how much of a
// window has passed since the last reading. Over time the same is given to every
// client of a quota, and taken from each in proportion, so that they settle at even
// shares.
func (f *refill) adjust(r *reading, quota int64, alone bool, part float64) {
	f.came += float32(max(r.came, 0))
	part = min(max(part, 0), 1) // clocks may go back
	low := max(lowLeast, lowShare*float64(quota))
	switch {
	case r.refused: // counts once a round, see newRound
	case r.left == 0 && quota >= 4: // smaller ones are empty after every request
		f.slow(strainEmpty)
	case r.left >= quota-quota/4 && f.strain > 1: // what others used is there again
		f.strain /= strainPlenty
	case float64(r.left) < low && quota >= 4 && !alone && (f.strain < strainShared || !r.sure):
		f.slow(math.Exp(strainLow * part * (1 - float64(r.left)/low)))
	case alone, r.left >= quota/2:
		f.ease(easeAlone * part)
	default:
		f.ease(easeShared * part)
	}
}

// refused takes in a round of refusals.
func (f *refill) refused() { f.slow(strainRefused) }

// ease adds a part of the nominal rate.
func (f *refill) ease(part float64) {
	if f.strain > 1 {
		f.strain = float32(1 / min(1, 1/f.slowdown()+part))
	}
}

func (f *refill) slow(factor float64) { f.strain = float32(min(f.slowdown()*factor, strainMost)) }

func (f *refill) slowdown() float64 { return max(float64(f.strain), 1) }

// doubt reports whether the limit behaves like a window after all: for seconds
// nothing came back, or no more than requests that are free explain, and the end
// stayed where it was.
func (f *refill) doubt(r *reading, quota int64) bool {
	if f.still == nil {
		f.still = &still{}
	}
	w := f.still
	if r.rose || !r.end.known() || !w.end.known() || !r.end.meets(w.end) {
		*w, f.spared = still{end: r.end, since: r.now}, false
		return false
	}
	w.end = w.end.and(r.end)
	w.units += float32(r.own)
	w.fell += float32(r.own - r.came)
	f.spared = f.spared || r.returned
	units := stillUnits
	if f.spared {
		if f.evidence >= slideProof || w.fell < w.units/freeMost || r.left < quota/4 {
			return false // a sliding counter's end stands still, too
		}
		units = freeUnits
	}
	// An end that recedes does so about as fast as time goes by, so after the
	// span that a reading leaves open it would have shown.
	long := stillTime + 2*r.end.hi.Sub(r.end.lo)
	return w.units >= float32(units) && r.now.Sub(w.since) >= long
}
