package cost

import (
	"math"

	"github.com/headway-go/headway/pacer/internal/codec"
)

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
	requests, estimated, used float32 // fading sums; estimated: by the caller
	charged, fell             float32 // likewise: what was charged, and by how much r fell
	back                      float32 // average bytes of a response; 0 for other units
	Sent, Reported            uint32  // requests in all, and up to the one whose response last reported r
}

// Usual returns the average cost of a request; 0: unknown, or close to zero.
func (e *Estimate) Usual() float64 { return float64(e.used) / max(float64(e.requests), 1) }

// ratio returns by how much the caller's estimates are too low, at least 1.
func (e *Estimate) ratio() float64 {
	if e.estimated <= 0 {
		return 1
	}
	return max(1, float64(e.used/e.estimated))
}

// Part returns the part of a charge by which r falls, if nothing comes back. A cost that was learned while something
// seemed to come back must not make a window look wrong.
func (e *Estimate) Part() float64 {
	if e.charged <= 0 {
		return 1
	}
	return min(max(float64(e.fell/e.charged), 1/samples), 1)
}

// Charge returns the charge of a request with the caller's estimate; negative: the caller has none.
func (e *Estimate) Charge(estimate int64) float64 {
	if estimate < 0 {
		return math.Ceil(min(max(headroom*e.Usual(), float64(e.back)), Most))
	}
	return math.Ceil(min((float64(estimate)+float64(e.back))*e.ratio(), Most))
}

// IsUnknown reports whether only a response can show the cost of a request.
func (e *Estimate) IsUnknown(estimate int64) bool {
	return e.used == 0 && e.requests < samples/8 && estimate < 0
}

// Transferred learns the size of a response in bytes.
func (e *Estimate) Transferred(n float64) {
	if e.back == 0 {
		e.back = float32(n)
	}
	e.back += (float32(n) - e.back) / samples
}

// Learn adds n requests that were charged so much. r fell by fall, which is negative if responses have overtaken each
// other, and back may have come back meanwhile.
func (e *Estimate) Learn(n, charged, fall, back, share float64) {
	e.estimated += float32(charged / e.ratio())
	e.charged += float32(charged)
	e.fell = max(e.fell+float32(fall*share), 0)
	e.used = max(e.used+float32((fall+refillTrust*back)*share), 0)
	e.requests += float32(n)
	if rest := samples / e.requests; rest < 1 {
		e.requests, e.estimated, e.used = samples, e.estimated*rest, e.used*rest
		e.charged, e.fell = e.charged*rest, e.fell*rest
	}
}

// Serialize writes or reads the average.
func (e *Estimate) Serialize(c *codec.Codec) {
	usual := e.Usual()
	if codec.Number(c, &usual, 0, Most); c.Reading {
		*e = Estimate{requests: 1, estimated: float32(usual), used: float32(usual)}
	}
}

// Undo cancels the nth request.
func (e *Estimate) Undo(nth uint32) {
	e.Sent--
	if e.Reported >= nth {
		e.Reported--
	}
}
