package pacer

import (
	"math"

	"github.com/headway-go/headway/limits"
)

// This file learns what requests cost in another unit than requests, such as tokens.

const (
	estimateOver = 32  // requests in an average. Fewer: chance dominates. More: changes of costs show late
	guessRoom    = 2   // times the average is charged without an estimate by the caller, because costs vary. More: longer waits. Less: more refusals
	refillTrust  = 0.4 // of the units that may have come back count as spent. More: wrong resets make estimates grow without end. Less: late
)

// An estimate keeps two averages over the same requests. The spent units, by how r falls, give the charge of a
// request without an estimate by the caller, with some room. Their ratio to the caller's estimates corrects those.
//
// An example: three requests had estimates of 100, 200 and 300 tokens, and r fell by 900. Then a request with
// an estimate of 100 is charged 150, and one without an estimate 600.
type estimate struct {
	requests, charged, spent float32 // fading sums; charged: by the caller's estimates
	back                     float32 // average bytes of a response; 0 for other units
	sent, told               uint32  // requests in all, and up to the one whose response last reported r
}

// next counts a request and returns its number; 0 if e is nil.
func (e *estimate) next() uint32 {
	if e == nil {
		return 0
	}
	e.sent++
	return e.sent
}

// undo cancels the nth request.
func (e *estimate) undo(nth uint32) {
	if e == nil {
		return
	}
	e.sent--
	if e.told >= nth {
		e.told--
	}
}

// usual returns the average cost of a request; 0: unknown, or close to zero.
func (e *estimate) usual() float64 { return float64(e.spent) / max(float64(e.requests), 1) }

// ratio returns by how much the caller's estimates are too low, at least 1. It includes other clients' use,
// so it also keeps this client to its share.
func (e *estimate) ratio() float64 {
	if e.charged <= 0 {
		return 1
	}
	return max(1, float64(e.spent/e.charged))
}

// charge returns the charge of a request with the caller's estimate n; negative: the caller has none.
func (e *estimate) charge(n int64) int64 {
	c := (float64(n) + float64(e.back)) * e.ratio()
	if n < 0 {
		c = max(guessRoom*e.usual(), float64(e.back))
	}
	return int64(math.Ceil(min(c, MostCost)))
}

// transferred learns the size of a response in bytes.
func (e *estimate) transferred(n int64) {
	if e.back == 0 {
		e.back = float32(n)
	}
	e.back += (float32(n) - e.back) / estimateOver
}

// learn adds n requests that were charged so much and spent so much.
func (e *estimate) learn(n, charged int64, spent float64) {
	e.charged += float32(float64(charged) / e.ratio())
	e.spent += float32(max(spent, 0))
	e.requests += float32(n)
	if keep := estimateOver / e.requests; keep < 1 {
		e.requests, e.charged, e.spent = estimateOver, e.charged*keep, e.spent*keep
	}
}

// settle learns the costs of requests from a report in, before observe. It covers the requests up to the nth;
// units is the sum charged up to then. A charge that was too high is no longer owed, so estimates that are
// too high do not slow the client down.
func (l *limit) settle(now Instant, units int64, nth uint32, in *limits.Told, refused bool) {
	e := l.estimate
	if in.Remaining < 0 {
		return
	}
	n := int64(int32(nth - e.told))
	e.told = nth
	fall, back := min(l.remaining-in.Remaining, l.quota), int64(0)
	if l.refills() {
		back = int64(max(min(l.refill()*float64(now.Sub(l.at)), float64(l.quota-in.Remaining)), 0))
	}
	if l.remaining == Unknown || fall+back < 0 || n <= 0 || refused { // a new window hides what was spent
		return
	}
	own := units - l.mark
	l.arrival.owed -= float32(max(own-fall-back, 0))
	spent := float64(fall) + refillTrust*float64(back)
	if l.part != nil && !l.part.awaited {
		spent *= l.part.Share // other members of the fleet spent the rest
	}
	e.learn(n, own, spent)
	if l.part != nil { // the part, too, is charged only what was used
		l.ends.began += max(own-int64(float64(n)*e.usual()), 0)
	}
}

// costUnknown reports whether only a response can show the cost of such a request. Many at once might use the
// whole quota.
func (l *limit) costUnknown(cost *Cost) bool {
	e := l.estimate
	return e != nil && e.spent == 0 && e.requests < estimateOver/8 && l.remaining != Unknown && cost.of(l.unit) < 0
}
