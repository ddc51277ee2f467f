package pacer

import (
	"math"

	"github.com/headway-go/headway/limits"
)

const (
	estimateOver = 32  // requests that are averaged: fewer are chance, more notice late that costs have changed
	guessRoom    = 2   // times the average is charged where the caller says nothing, as costs vary: less is refused, more waits
	backBelieved = 0.4 // of what may have come back when costs are learned from it: more feeds on itself where a reset is a lie, less is late
)

// An estimate is what is known of the costs of requests in a unit other than requests: two
// averages over the same requests. What they spent each, by what the server says is left, is
// charged for a request of which the caller says nothing, with some room. What they spent over
// what the caller said corrects what it says.
//
// Say three requests were said to cost 100, 200 and 300 tokens, and r fell by 900. Then one that is
// said to cost 100 is charged 150, and one of which nothing is said 600.
type estimate struct {
	requests, charged, spent float32 // sums that fade; charged by the caller's word
	back                     float32 // bytes of a response, on average; of other units 0
	sent, told               uint32  // requests in all, and up to the one whose answer last told what is left
}

// next counts a request; that of none is 0.
func (e *estimate) next() uint32 {
	if e == nil {
		return 0
	}
	e.sent++
	return e.sent
}

// undo takes the nth request back.
func (e *estimate) undo(nth uint32) {
	if e == nil {
		return
	}
	e.sent--
	if e.told >= nth {
		e.told--
	}
}

// usual is what a request uses; 0: not known, or next to nothing.
func (e *estimate) usual() float64 { return float64(e.spent) / max(float64(e.requests), 1) }

// ratio is by how much the caller's estimates are too low, 1 if they are not. What
// others use counts as well, so that it also keeps this client to its share.
func (e *estimate) ratio() float64 {
	if e.charged <= 0 {
		return 1
	}
	return max(1, float64(e.spent/e.charged))
}

// charge is what a request is charged that costs n, as the caller says; negative:
// it does not say.
func (e *estimate) charge(n int64) int64 {
	c := (float64(n) + float64(e.back)) * e.ratio()
	if n < 0 {
		c = max(guessRoom*e.usual(), float64(e.back))
	}
	return int64(math.Ceil(min(c, MostCost)))
}

// transferred takes in how many bytes a response had.
func (e *estimate) transferred(n int64) {
	if e.back == 0 {
		e.back = float32(n)
	}
	e.back += (float32(n) - e.back) / estimateOver
}

// learn takes in that n requests that were charged so much spent so much.
func (e *estimate) learn(n, charged int64, spent float64) {
	e.charged += float32(float64(charged) / e.ratio())
	e.spent += float32(max(spent, 0))
	e.requests += float32(n)
	if keep := estimateOver / e.requests; keep < 1 {
		e.requests, e.charged, e.spent = estimateOver, e.charged*keep, e.spent*keep
	}
}

// settle learns what requests really cost from what in tells of l, which has not
// taken it in yet, to the nth one, up to which so many units were charged. What was
// charged too much is owed no longer, so that estimates which are too high do not slow
// the client down.
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
	spent := float64(fall) + backBelieved*float64(back)
	if l.part != nil && !l.part.awaited {
		spent *= l.part.Share // others of the fleet spent the rest
	}
	e.learn(n, own, spent)
	if l.part != nil { // of the part, too, no more is used than was
		l.ends.began += max(own-int64(float64(n)*e.usual()), 0)
	}
}

// costUnknown reports whether only an answer can tell what a request of that cost
// uses. Many at once might use all there is.
func (l *limit) costUnknown(cost *Cost) bool {
	e := l.estimate
	return e != nil && e.spent == 0 && e.requests < estimateOver/8 && l.remaining != Unknown && cost.of(l.unit) < 0
}
