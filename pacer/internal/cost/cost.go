package cost

import (
	"math"

	"github.com/headway-go/headway/pacer/internal/keep"
)

// Most is the largest cost of a request, so that sums of costs do not overflow.
const Most = 1 << 40

const (
	over        = 32.0 // requests in an average. More: changes of costs show late. Less: chance dominates
	room        = 2.0  // times the average without an estimate by the caller. More: longer waits. Less: more refusals
	refillTrust = 0.4  // of units that may be back. More: wrong resets raise estimates for ever. Less: late
)

// An Estimate is what a request uses on average, and by how much the caller's estimates differ. The zero value knows
// nothing.
type Estimate struct {
	requests, said, used float32 // fading sums; said: by the caller
	charged, fell        float32 // likewise: what was charged, and by how much r fell
	back                 float32 // average bytes of a response; 0 for other units
	Sent, Told           uint32  // requests in all, and up to the one whose response last reported r
}

// Usual returns the average cost of a request; 0: unknown, or close to zero.
func (e *Estimate) Usual() float64 { return float64(e.used) / max(float64(e.requests), 1) }

// ratio returns by how much the caller's estimates are too low, at least 1.
func (e *Estimate) ratio() float64 {
	if e.said <= 0 {
		return 1
	}
	return max(1, float64(e.used/e.said))
}

// Part returns the part of a charge by which r falls, if nothing comes back. A cost that was learned while something
// seemed to come back must not make a window look wrong.
func (e *Estimate) Part() float64 {
	if e.charged <= 0 {
		return 1
	}
	return min(max(float64(e.fell/e.charged), 1/over), 1)
}

// Charge returns the charge of a request with the caller's estimate; negative: the caller has none.
func (e *Estimate) Charge(said int64) float64 {
	if said < 0 {
		return math.Ceil(min(max(room*e.Usual(), float64(e.back)), Most))
	}
	return math.Ceil(min((float64(said)+float64(e.back))*e.ratio(), Most))
}

// IsUnknown reports whether only a response can show the cost of a request.
func (e *Estimate) IsUnknown(said int64) bool { return e.used == 0 && e.requests < over/8 && said < 0 }

// Transferred learns the size of a response in bytes.
func (e *Estimate) Transferred(n float64) {
	if e.back == 0 {
		e.back = float32(n)
	}
	e.back += (float32(n) - e.back) / over
}

// Learn adds n requests that were charged so much. r fell by fall, which is negative if responses have overtaken each
// other, and back may have come back meanwhile.
func (e *Estimate) Learn(n, charged, fall, back, share float64) {
	e.said += float32(charged / e.ratio())
	e.charged += float32(charged)
	e.fell = max(e.fell+float32(fall*share), 0)
	e.used = max(e.used+float32((fall+refillTrust*back)*share), 0)
	e.requests += float32(n)
	if rest := over / e.requests; rest < 1 {
		e.requests, e.said, e.used = over, e.said*rest, e.used*rest
		e.charged, e.fell = e.charged*rest, e.fell*rest
	}
}

// Keep writes or reads the average.
func (e *Estimate) Keep(c *keep.Codec) {
	usual := e.Usual()
	if keep.Number(c, &usual, 0, Most); c.Reading {
		*e = Estimate{requests: 1, said: float32(usual), used: float32(usual)}
	}
}

// Undo cancels the nth request.
func (e *Estimate) Undo(nth uint32) {
	e.Sent--
	if e.Told >= nth {
		e.Told--
	}
}
