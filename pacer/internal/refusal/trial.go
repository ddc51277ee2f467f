package refusal

import (
	"math"

	"github.com/headway-go/headway/pacer/internal/keep"
)

const (
	trialRoom    = 1.04      // times the measured rate begins the next trial. More: refusals. Less: finds a higher rate late
	trialCut     = 0.98      // of that, and of the rate that was refused. More: refusals. Less: slow
	trialPower   = 0.3       // of the refused rate against the measured one, as one refusal may be chance. More: refusals. Less: chance slows
	vaguePower   = 0.5       // the same after few successes. More, less: as above
	vagueCount   = 35.0      // so many successes are few. More: refusals. Less: chance slows
	trialLeast   = 20.0      // seconds for which a rate stands at least. Less: refusals. More: recovers late
	trialStand   = 35.0      // requests for which it stands. Less: refusals. More: recovers late
	trialHolds   = 30.0      // times the hold for which it stands at most: long holds are worth avoiding. Less: refusals. More: recovers late
	trialMost    = 150.0     // seconds for which it stands at most, but for slow rates. Less: refusals. More: recovers late
	trialSlow    = 8.0       // requests of a slow rate for which it stands at most. Less: refusals. More: recovers late
	trialProofs  = 2.0       // times the successes that the rate rests on: it stands no longer. Less: refusals. More: one success in a storm counts
	fewSuccesses = 1.5       // fewer show no rate. More: slow servers are refused. Less: as above
	trialBeyond  = 8.0       // times the successes of this trial: the rate grows no further. More: bursts after light use. Less: slow
	bestFades    = 1200.0    // seconds in which the best rate of late halves. More: stands too short after a limit fell. Less: a storm slows
	heldLeast    = 60.0      // seconds of a hold that count. More: a penalty counts as the limit. Less: a window is measured too short
	heldPart     = 3.0       // times the time before a hold, if that is longer. More, less: as above
	slowestRate  = 1.0 / 600 // requests per second. More: quotas of some requests per hour are refused. Less: chance stops the client
	restoredMost = 600.0     // seconds of a restored trial that count. More: a wrong snapshot slows. Less: the rate is measured again
	mostRate     = 1e12      // keeps sums finite
)

// Idle is the pause, in seconds, from which on there was little to send. More: light use counts as the limit. Less: delays
// count as pauses.
const Idle = 1.0

// A Trial learns a rate from refusals, where the server reports no limit.
type Trial struct {
	begun  float64 // beginning of the trial, moved by pauses that do not count
	last   float64 // when the last request was sent
	gap    float64 // the interval that the pace asked for after it
	load   float64 // time of this trial before the refusal that ended it
	rate   float64 // requests per second; 0: none
	stands float64 // seconds for which the rate stands
	n      float64 // successes of this trial
	ended  bool    // by a refusal
	lost   float64 // rate when it was refused
	served float64 // when a success came for the last time
	best   float64 // the largest rate of late, which fades
	bestAt float64
	proof  float64 // successes that rate rests on; older ones fade
}

// NewTrial returns a trial that began at first, and had n successes until now.
func NewTrial(first, now, n float64) *Trial {
	return &Trial{begun: first, last: first, served: now, n: n}
}

// Gap returns the interval at the rate now; 0: none is known.
func (t *Trial) Gap(now float64) float64 {
	if t == nil || t.rate == 0 {
		return 0
	}
	return 1 / t.now(now)
}

func (t *Trial) now(now float64) float64 {
	since := t.load
	if !t.ended { // a pause does not count
		since = min(now, t.last+t.gap+Idle) - t.begun
	}
	rate := t.rate * grown(since, t.stands)
	if !t.ended { // not far beyond what was used
		rate = min(rate, max(t.rate, trialBeyond*(t.n+1)/max(since, 1)))
	}
	return min(rate, mostRate)
}

// Sent records a request. held is the end of the last hold, and gap the interval that the pace asked for.
func (t *Trial) Sent(now, held, gap float64) {
	if t.begun == 0 {
		t.begun, t.last = now, now
	}
	if t.ended {
		t.last = max(t.last, held)
	}
	if unused := now - t.last - max(t.gap, gap); unused > Idle {
		t.begun += unused
	}
	t.last, t.gap = now, gap
}

// Refused records the first refusal of a round.
func (t *Trial) Refused(now float64) {
	if t.ended {
		return
	}
	t.lost = math.Inf(1)
	if t.rate > 0 {
		t.lost = t.now(now)
	}
	t.load = max(min(t.served, now)-t.begun, 0)
	t.ended, t.begun = true, now
}

// Succeeded counts a success. afterHold: its request was sent after the hold of the last refusal.
func (t *Trial) Succeeded(now float64, afterHold bool) {
	if t == nil {
		return
	}
	if t.ended && afterHold {
		t.measure(now)
	}
	t.n++
	t.served = now
}

// measure ends the trial and begins another one.
func (t *Trial) measure(now float64) {
	held := now - t.begun
	took := t.load + min(held, max(heldLeast, heldPart*t.load))
	if t.n > 0 && took > 0 {
		mean := t.n / took
		most := trialRoom * mean
		if t.rate > 0 {
			power := trialPower
			if t.n < vagueCount {
				power = vaguePower
			}
			most = max(most, mean*math.Pow(t.lost/mean, power))
		}
		t.rate = max(trialCut*min(t.lost, most), slowestRate)
		t.best = max(t.rate, t.best*math.Exp2(-(now-t.bestAt)/bestFades))
		t.bestAt = now
		base := max(t.rate, t.best/4)
		t.proof = t.n + t.proof/2
		t.stands = max(trialLeast, min(max(trialStand/base, trialHolds*held), max(trialMost, trialSlow/base)))
		if t.stands = min(t.stands, trialProofs*t.proof/t.rate); t.proof < fewSuccesses {
			t.stands = min(t.stands, trialLeast)
		}
		t.gap = 1 / t.rate
	}
	t.n, t.ended, t.begun = 0, false, now
}

// IsKnown reports whether a rate is known.
func (t *Trial) IsKnown() bool { return t != nil && t.rate > 0 }

// Count returns the successes of the trial.
func (t *Trial) Count() uint64 {
	if t == nil {
		return 0
	}
	return uint64(t.n)
}

// Forgive moves the trial by a time that does not count.
func (t *Trial) Forgive(now, since float64) {
	if t.begun != 0 {
		t.begun += now - since
		t.last = now
	}
}

// Keep writes or reads the trial.
func (t *Trial) Keep(c *keep.Codec) {
	c.Time(&t.begun, c.Now)
	c.Time(&t.last, c.Now)
	keep.Number(c, &t.load, 0, math.MaxUint32)
	keep.Number(c, &t.n, 0, keep.MostUnits)
	keep.Number(c, &t.stands, 0, math.MaxUint32)
	keep.Number(c, &t.rate, 0, mostRate)
	c.Flag(&t.ended)
	if c.Reading { // an older process says little of a long time
		t.begun, t.load = max(t.begun, c.Now-restoredMost), min(t.load, restoredMost)
		t.lost = math.Inf(1) // it is not known
	}
	if c.Reading && t.rate > 0 {
		t.rate = max(t.rate, 1.0/60)
		t.stands = min(max(t.stands, trialLeast), trialMost)
		t.served = t.last
	}
}
