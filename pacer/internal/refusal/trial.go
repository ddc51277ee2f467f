package refusal

import (
	"math"

	"github.com/headway-go/headway/pacer/internal/codec"
)

const (
	trialRoom       = 1.04  // times the measured rate begins the next trial. More: refusals. Less: finds a higher rate late
	trialCut        = 0.98  // of that, or of the mean of the measured rate and the refused one. More: refusals. Less: slow
	trialStands     = 120.0 // seconds for which a rate stands at least. Less: refusals. More: recovers late
	trialSlow       = 8.0   // requests for which it stands at least. Less: refusals. More: recovers late
	trialProofs     = 2.0   // times the successes that the rate rests on: it stands no longer. Less: refusals. More: one success in a storm counts
	provenSuccesses = 1.5   // fewer show no rate. More: slow servers are refused. Less: as above
	unprovenStand   = 20.0  // seconds for which such a rate stands at most. Less: slow servers are refused. More: one success in a storm counts
	trialBeyond     = 8.0   // times the successes of this trial: the rate grows no further. More: bursts after light use. Less: slow
	heldLeast       = 60.0  // seconds of a hold that count. More: a penalty counts as the limit. Less: a window is measured too short
	heldPart        = 3.0   // times the time before a hold, if that is longer. More, less: as above
	slowest         = 600.0 // seconds between two requests at most, and of a restored trial that count. Less: quotas of some requests per hour are refused. More: chance stops the client
)

// Idle is the pause, in seconds, from which on there was little to send. More: light use counts as the limit. Less: delays
// count as pauses.
const Idle = 1.0

// A Trial learns a rate from refusals, where the server reports no limit.
type Trial struct {
	begun  float64 // beginning of the trial, moved by pauses that do not count
	last   float64 // when the last request was sent
	gap    float64 // the interval that the pace required after it
	load   float64 // time of this trial before the refusal that ended it
	rate   float64 // requests per second; 0: none
	stands float64 // seconds for which the rate stands
	n      float64 // successes of this trial
	ended  bool    // by a refusal
	lost   float64 // rate when it was refused; 0: none
	served float64 // when a success came for the last time
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

// now returns the rate now; 0: none is known.
func (t *Trial) now(now float64) float64 {
	if t.rate == 0 {
		return 0
	}
	since := t.load
	if !t.ended { // a pause does not count
		since = min(now, t.last+t.gap+Idle) - t.begun
	}
	rate := t.rate * grown(since, t.stands)
	if !t.ended { // not far beyond what was used
		rate = min(rate, max(t.rate, trialBeyond*(t.n+1)/max(since, 1)))
	}
	return rate
}

// Sent records a request. held is the end of the last hold, and gap the interval that the pace required.
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
	t.lost = t.now(now)
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
		if t.lost > 0 {
			most = min(t.lost, max(most, math.Sqrt(mean*t.lost))) // one refusal may be chance
		}
		t.rate = max(trialCut*most, 1/slowest)
		t.proof = t.n + t.proof/2
		t.stands = min(max(trialStands, trialSlow/t.rate), trialProofs*t.proof/t.rate)
		if t.proof < provenSuccesses {
			t.stands = min(t.stands, unprovenStand)
		}
		t.gap = 1 / t.rate
	}
	t.n, t.ended, t.begun = 0, false, now
}

// Serialize writes or reads the trial.
func (t *Trial) Serialize(c *codec.Codec) {
	c.Time(&t.begun, c.Now)
	c.Time(&t.last, c.Now)
	codec.Number(c, &t.load, 0, math.MaxUint32)
	codec.Number(c, &t.n, 0, codec.MostUnits)
	codec.Number(c, &t.stands, 0, math.MaxUint32)
	codec.Number(c, &t.rate, 0, codec.MostUnits)
	c.Flag(&t.ended)
	if c.Reading { // an older process says little of a long time
		t.begun, t.load = max(t.begun, c.Now-slowest), min(t.load, slowest)
	}
	if c.Reading && t.rate > 0 {
		t.rate = max(t.rate, 1/slowest)
		t.stands = trialStands
		t.served = t.last
	}
}
