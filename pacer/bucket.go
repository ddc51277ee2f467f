package pacer

import "time"

// A tokenBucket is the candidate for a limit that gives units back one by one, at q/w, until it is full: a
// token bucket, a leaky bucket, GCRA or a linear counter.
//
// An example with q = 100 and w = 50 s, so two units come back each second. If r = 10 was reported a second
// ago and two units were sent since, 10 are there now. The pace is 2.2 per second, which uses the stock up
// within a window.
type tokenBucket struct{ *account }

func (b tokenBucket) forecast(r *reading) (f forecast, excluded bool) {
	quota, told, own := float64(b.quota), float64(b.remaining), float64(r.own)
	back := r.refill * r.passed
	longest := r.refill * float64(max(r.now.Sub(b.sent), 0))
	others := r.others * r.passed
	one := lesser(own, float64(r.cost)) // requests sent earlier may have used the units that came back
	return forecast{
		most:  lesser(quota, told+1+longest) - one,
		alone: lesser(quota, told+back) - own,
		low:   greater(lesser(quota, told+back-others)-own, 0),
		high:  greater(lesser(quota, told+1+back-others)-one, 0),
	}, b.isTooLong(r, r.refill)
}

// isTooLong reports whether a refusal asks for a far longer wait than units need that come back at that rate.
// Where units come back all the time, one is there soon, even if other clients take some.
func (a *account) isTooLong(r *reading, rate float64) bool {
	return r.refused && a.source == fromServer && rate > 0 && r.wait > interval(rate/float64(max(r.cost, 1)))+2*time.Second
}

func (b tokenBucket) stock(m moment) float64 {
	back := m.share * b.refill() * float64(max(m.now.Sub(b.at), 0))
	return lesser(float64(b.left())+back, float64(b.quota)) // units sent since come back, too
}

// pace uses up the stock within a window.
func (b tokenBucket) pace(m moment, _ float64) float64 {
	return m.share * b.refill() * (1 + b.stock(m)/float64(max(b.quota, 1)))
}

// opens leaves a single unit to the pace.
func (b tokenBucket) opens(m moment, need int64) Instant {
	if need <= 1 {
		return 0
	}
	if short := float64(need) - b.stock(m); short > 0 {
		return m.now.Add(interval(b.refill() / short))
	}
	return 0
}
