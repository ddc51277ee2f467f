package pacer

import "math"

const (
	usualOver  = 8  // about so many requests are averaged
	ratioOver  = 32 // requests whose charges are compared with what was spent
	guessRoom  = 2  // a cost that is not told is charged so many times the average, as costs vary
	ratioMost  = 1000
	ratioStart = 4 // requests before what was spent corrects what is told of costs
)

// An estimate is what is known of the costs of requests in a unit other than
// requests. They are charged an estimate, the caller's or an average. What is left,
// as the server tells it, corrects that.
type estimate struct {
	usual          float64 // what a request uses; 0: not known
	charged, spent float32 // units, fading: by the caller's word, and as r fell
}

// charge is what a request is charged that costs n, as the caller says; negative:
// it does not say.
func (e *estimate) charge(n int64) int64 {
	c := float64(n) * e.ratio()
	if n < 0 {
		c = math.Ceil(guessRoom * e.usual)
	}
	return int64(min(c, MostCost))
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
// taken it in yet, and reports whether it could. What was charged too much is owed no
// longer, so that estimates which are too high do not slow the client down.
func (p *Partition) settle(now Instant, t *Ticket, l *limit, charged charge, in *Limit) bool {
	spent, n := l.spent(now, in), int64(t.seq-l.seq)
	if spent == Unknown || n <= 0 {
		return false
	}
	own := charged.units - l.mark
	if own > spent {
		p.tally(l.unit).owed -= own - spent
	}
	e := &p.others.estimates[l.unit-1]
	e.learn(n, own, spent)
	for i := range p.limits {
		if p.limits[i].unit == l.unit {
			p.limits[i].usual = float32(max(1, e.usual))
		}
	}
	return true
}

// costUnknown reports whether only an answer can tell what a request of that cost
// uses. Many at once might use all there is.
func (l *limit) costUnknown(cost *Cost) bool {
	return l.unit > 0 && l.usual == 0 && l.remaining != Unknown && (cost.Others == nil || cost.Others[l.unit-1] < 0)
}

// spent is how many units have been used since the last reading, by whomever;
// Unknown if a new window hides it.
func (l *limit) spent(now Instant, in *Limit) int64 {
	if l.remaining == Unknown || in.Remaining < 0 {
		return Unknown
	}
	fall := l.remaining - in.Remaining
	if l.refill.proven() {
		back := min(l.nominal()*float64(now.Sub(l.at)), float64(l.quota-in.Remaining))
		fall += int64(max(back, 0))
	}
	if fall < 0 {
		return Unknown
	}
	return min(fall, l.quota)
}
