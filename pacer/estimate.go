package pacer

import "math"

const (
	freeProof = 4  // answers in a row that show no use: then requests cost next to nothing
	usualOver = 8  // about so many requests are averaged
	ratioOver = 32 // requests whose charges are compared with what was spent
	guessRoom = 2  // a cost that is not told is charged so many times the average, as costs vary
	ratioMost = 1000

	// Of what seems to have come back, this part is believed when costs are learned from
	// it: all of it would go wrong where a server misreports its reset. The more was
	// thought to be used, the longer the wait, and the more would have come back.
	backBelieved = 0.3
	ratioStart   = 4 // requests before what was spent corrects what is told of costs
)

// An estimate is what is known of the costs of requests in a unit other than
// requests. They are charged an estimate, the caller's or an average. What is left,
// as the server tells it, corrects that.
type estimate struct {
	usual          float64 // what a request uses; 0: not known
	charged, spent float32 // units, fading: by the caller's word, and as r fell
	back           float32 // bytes of a response, on average; of other units 0
	free           uint8   // answers in a row that showed no use
	sent, told     uint32  // requests in all, and up to the one whose answer last told what is left
}

// next counts a request; that of none is 0.
func (e *estimate) next() uint32 {
	if e == nil {
		return 0
	}
	e.sent++
	return e.sent
}

// count is how many requests were counted.
func (e *estimate) count() uint32 {
	if e == nil {
		return 0
	}
	return e.sent
}

// charge is what a request is charged that costs n, as the caller says; negative:
// it does not say.
func (e *estimate) charge(n int64) int64 {
	c := (float64(n) + float64(e.back)) * e.ratio()
	if n < 0 {
		c = max(math.Ceil(guessRoom*e.usual), float64(e.back))
	}
	return int64(min(c, MostCost))
}

// transferred takes in how many bytes a response had.
func (e *estimate) transferred(n int64) {
	if e.back == 0 {
		e.back = float32(n)
	}
	e.back += (float32(n) - e.back) / usualOver
}

// ratio is by how much the caller's estimates are too low, 1 if they are not. What
// others use counts as well, so that it also keeps this client to its share.
func (e *estimate) ratio() float64 {
	if float64(e.spent) < ratioStart*e.usual || e.charged <= 0 {
		return 1
	}
	return min(max(1, float64(e.spent/e.charged)), ratioMost)
}

// learn takes in that n requests that were charged so much spent so much.
func (e *estimate) learn(n, charged, spent int64) {
	if e.free = min(e.free+1, freeProof); spent > 0 {
		e.free = 0
	}
	e.charged += float32(float64(charged) / e.ratio())
	e.spent += float32(spent)
	each := float64(spent) / float64(n)
	if e.usual == 0 {
		e.usual = each
	}
	e.usual += (each - e.usual) * min(1, float64(n)/usualOver)
	if most := float32(ratioOver * e.usual); e.spent > most {
		e.charged *= most / e.spent
		e.spent = most
	}
}

// settle learns what requests really cost from what in tells of l, which has not
// taken it in yet, to the nth one, up to which so many units were charged. What was
// charged too much is owed no longer, so that estimates which are too high do not slow
// the client down.
func (l *limit) settle(now Instant, units int64, nth uint32, in *Limit, refused bool) {
	e := l.estimate
	fall, back, ok := l.spent(now, in)
	n := int64(int32(nth - e.told))
	if in.Remaining >= 0 {
		e.told = nth
	}
	if !ok || n <= 0 || refused {
		return
	}
	own := units - l.mark
	if own > fall+back {
		l.arrival.owed -= float32(own - fall - back)
	}
	spent := float64(fall) + backBelieved*float64(back)
	if l.part != nil && !l.part.awaited {
		spent *= l.part.share // others of the fleet spent the rest
	}
	e.learn(n, own, max(int64(spent), 0))
	if l.part != nil { // of the part, too, no more is used than was
		l.ends.began += max(0, own-int64(math.Ceil(float64(n)*e.usual)))
	}
}

// costUnknown reports whether only an answer can tell what a request of that cost
// uses. Many at once might use all there is.
func (l *limit) costUnknown(cost *Cost) bool {
	return l.estimate != nil && l.estimate.usual == 0 && l.estimate.free < freeProof && l.remaining != Unknown && cost.other(l.unit) < 0
}

// spent is how many units r fell by since the last reading, and how many have come
// back meanwhile of a limit that refills, as far as is known; ok is false if a new
// window hides it.
func (l *limit) spent(now Instant, in *Limit) (fall, back int64, ok bool) {
	if l.remaining == Unknown || in.Remaining < 0 {
		return 0, 0, false
	}
	fall = l.remaining - in.Remaining
	if l.refills() {
		back = int64(max(min(l.refill()*float64(now.Sub(l.at)), float64(l.quota-in.Remaining)), 0))
	}
	return min(fall, l.quota), back, fall+back >= 0
}
