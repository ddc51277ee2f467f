// Package cost learns what requests use of another unit than requests, such as tokens. Two averages over the same
// requests are kept. What r, the remaining units, falls by gives the charge of a request without an estimate by the
// caller, with some room. The ratio of both corrects the caller's estimates, if they are too low.
package cost

import "math"

// Most is the largest cost of a request, so that sums of costs do not overflow.
const Most = 1 << 40

const (
	samples     = 32.0 // requests in an average. More: changes of costs show late. Less: chance dominates
	headroom    = 2.0  // times the average without an estimate by the caller. More: longer waits. Less: more refusals
	refillTrust = 0.4  // of units that may be back. More: wrong resets raise estimates for ever. Less: late
)

// An Estimate is what a request uses on average, and by how much the caller's estimates differ. The zero value knows
// nothing.
type Estimate struct {
	Requests, Estimated, Used float64 // fading sums; estimated: by the caller
	Charged, Fell             float64 // likewise: what was charged, and by how much r fell
	Back                      float64 // average bytes of a response; 0 for other units
	Sent, Reported            uint32  `json:"-"` // requests in all, and up to the one whose response last reported r
}

// Usual returns the average cost of a request; 0: unknown, or close to zero.
func (e *Estimate) Usual() float64 { return e.Used / max(e.Requests, 1) }

// ratio returns by how much the caller's estimates are too low, at least 1.
func (e *Estimate) ratio() float64 {
	if e.Estimated <= 0 {
		return 1
	}
	return min(max(1, e.Used/e.Estimated), Most)
}

// Part returns the part of a charge by which r falls, if nothing comes back. A cost that was learned while something
// seemed to come back must not make a window look wrong.
func (e *Estimate) Part() float64 {
	if e.Charged <= 0 {
		return 1
	}
	return min(max(e.Fell/e.Charged, 1/samples), 1)
}

// Charge returns the charge of a request with the caller's estimate; negative: the caller has none.
func (e *Estimate) Charge(estimate int64) float64 {
	if estimate < 0 {
		return math.Ceil(min(max(headroom*e.Usual(), e.Back), Most))
	}
	return math.Ceil(min((float64(estimate)+e.Back)*e.ratio(), Most))
}

// IsUnknown reports whether only a response can show the cost of a request.
func (e *Estimate) IsUnknown(estimate int64) bool {
	return e.Used == 0 && e.Requests < samples/8 && estimate < 0
}

// Transferred learns the size of a response in bytes.
func (e *Estimate) Transferred(n float64) {
	if e.Back == 0 {
		e.Back = n
	}
	e.Back += (n - e.Back) / samples
}

// Learn adds n requests that were charged so much. r fell by fall, which is negative if responses have overtaken each
// other, and back may have come back meanwhile.
func (e *Estimate) Learn(n, charged, fall, back, share float64) {
	e.Estimated += charged / e.ratio()
	e.Charged += charged
	e.Fell = max(e.Fell+fall*share, 0)
	e.Used = max(e.Used+(fall+refillTrust*back)*share, 0)
	e.Requests += n
	if rest := samples / e.Requests; rest < 1 {
		e.Requests, e.Estimated, e.Used = samples, e.Estimated*rest, e.Used*rest
		e.Charged, e.Fell = e.Charged*rest, e.Fell*rest
	}
}

// Correct adds a request whose charge is corrected to its cost, which the server has told.
func (e *Estimate) Correct(charged, cost float64) {
	e.Charged += cost - charged
	e.Learn(1, charged, cost, 0, 1)
}

// Undo cancels the nth request.
func (e *Estimate) Undo(nth uint32) {
	e.Sent--
	if e.Reported >= nth {
		e.Reported--
	}
}

// IsPossible reports whether an estimate can be as it is.
func (e *Estimate) IsPossible() bool {
	return min(e.Requests, e.Estimated, e.Used, e.Charged, e.Fell, e.Back) >= 0 && max(e.Requests, e.Estimated, e.Used, e.Charged, e.Fell, e.Back) <= math.MaxInt64
}
