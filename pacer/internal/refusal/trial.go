package refusal

import "math"

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
	slowest         = 600.0 // seconds between two requests at most. Less: quotas of some requests per hour are refused. More: chance stops the client
)

// Idle is the pause, in seconds, from which on there was little to send. More: light use counts as the limit. Less: delays
// count as pauses.
const Idle = 1.0

// A Trial learns a rate from refusals, where the server reports no limit. The first one begins with the first request.
type Trial struct {
	Begun    float64 // beginning of the trial, moved by pauses that do not count
	Last     float64 // when the last request was sent
	Interval float64 // the interval that the pace required after it
	Load     float64 // time of this trial before the refusal that ended it
	Rate     float64 // requests per second; 0: none
	Stands   float64 // seconds for which the rate stands
	N        float64 // successes of this trial
	Ended    bool    // by a refusal
	Lost     float64 // rate when it was refused; 0: none
	Served   float64 // when a success came for the last time
	Proof    float64 // successes that rate rests on; older ones fade
}

// Gap returns the interval at the rate now; 0: none is known.
func (t *Trial) Gap(now float64) float64 {
	if t.Rate == 0 {
		return 0
	}
	return 1 / t.now(now)
}

// now returns the rate now; 0: none is known.
func (t *Trial) now(now float64) float64 {
	switch {
	case t.Rate == 0:
		return 0
	case t.Ended:
		return t.Rate * grown(t.Load, t.Stands)
	}
	since := min(now, t.Last+t.Interval+Idle) - t.Begun // a pause does not count
	// Not far beyond what was used.
	return min(t.Rate*grown(since, t.Stands), max(t.Rate, trialBeyond*(t.N+1)/max(since, 1)))
}

// Sent records a request. held is the end of the last hold, and gap the interval that the pace required.
func (t *Trial) Sent(now, held, gap float64) {
	if t.Begun == 0 {
		t.Begun, t.Last = now, now
	}
	if t.Ended {
		t.Last = max(t.Last, held)
	}
	if unused := now - t.Last - max(t.Interval, gap); unused > Idle {
		t.Begun = min(t.Begun+unused, now) // a response may have come after this request was due
	}
	t.Last, t.Interval = now, gap
}

// Refused records the first refusal of a round.
func (t *Trial) Refused(now float64) {
	if t.Ended {
		return
	}
	t.Lost = t.now(now)
	t.Load = max(min(t.Served, now)-t.Begun, 0)
	t.Ended, t.Begun = true, now
}

// Succeeded counts a success. afterHold: its request was sent after the hold of the last refusal.
func (t *Trial) Succeeded(now float64, afterHold bool) {
	if t.Ended && afterHold {
		t.measure(now)
	}
	t.N++
	t.Served = now
}

// measure ends the trial and begins another one.
func (t *Trial) measure(now float64) {
	held := now - t.Begun
	took := t.Load + min(held, max(heldLeast, 3*t.Load))
	if t.N > 0 && took > 0 {
		mean := t.N / took
		most := trialRoom * mean
		if t.Lost > 0 {
			most = min(t.Lost, max(most, math.Sqrt(mean*t.Lost))) // one refusal may be chance
		}
		t.Rate = max(trialCut*most, 1/slowest)
		t.Proof = t.N + t.Proof/2
		t.Stands = min(max(trialStands, trialSlow/t.Rate), trialProofs*t.Proof/t.Rate)
		if t.Proof < provenSuccesses {
			t.Stands = min(t.Stands, unprovenStand)
		}
		t.Interval = 1 / t.Rate
	}
	t.N, t.Ended, t.Begun = 0, false, now
}

// IsPossible reports whether a trial can be as it is. Times of the past are not after now.
func (t *Trial) IsPossible(now float64) bool {
	return max(t.Begun, t.Last, t.Served) <= now && t.Stands <= trialSlow*slowest && (t.Rate == 0 || t.Rate >= 1/slowest && t.Stands > 0) &&
		min(t.Stands, t.Interval, t.Load, t.N, t.Lost, t.Proof) >= 0 && max(t.Rate, t.N, t.Lost, t.Proof) < math.MaxInt64
}
