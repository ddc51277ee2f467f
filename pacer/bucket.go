package pacer

import "time"

// A tokenBucket is the candidate for a limit that gives units back one by one, at q/w, until
// it is full: a token bucket, a leaky bucket, GCRA, linear counters.
//
// Say q = 100 and w = 50 s: two units come back each second. If r = 10 was told a second ago and
// two units were sent since, 10 are there now. The pace is 2.2 per second: what is there is
// to be used up within a window.
type tokenBucket struct{}

// level is how many units are there.
func (b tokenBucket) level(a *account, now Instant, share float64) float64 {
	back := share * a.refill() * float64(max(now.Sub(a.at), 0))
	return min(max(float64(a.remaining-(a.units-a.mark)), 0)+back, float64(a.quota)) // what was sent comes back, too
}

func (b tokenBucket) forecast(a *account, r *reading) forecast {
	quota, told, own := float64(a.quota), float64(a.remaining), float64(r.own)
	back := a.refill() * r.passed(a)
	longest := a.refill() * float64(max(r.now.Sub(a.sent), 0))
	return forecast{
		most: min(quota, told+1+longest) - min(own, float64(r.cost)),
		low:  max(min(quota, told+back-r.others*r.passed(a))-own, 0),
		high: max(min(quota, told+1+back-r.others*r.passed(a))-min(own, float64(r.cost)), 0),
		// Where units come back all the time one is there soon, whoever takes the others.
		excluded: r.refused && a.windTold && r.wait > interval(a.refill()/float64(max(r.cost, 1)))+2*time.Second,
	}
}

// used is how many units were used since the last reading, as a bucket accounts for it.
func (b tokenBucket) used(a *account, r *reading) float64 {
	return min(float64(a.quota), float64(a.remaining)+a.refill()*r.passed(a)) - float64(r.left)
}

// pace is the pace for all clients of the quota together, in units per nanosecond: what is there is to be
// used up within a window.
func (b tokenBucket) pace(a *account, now Instant, share float64) float64 {
	return a.refill() * (1 + b.level(a, now, share)/float64(max(a.quota, 1)))
}

// opens is when a request may go that needs so many units at once. For one the pace sees
// to it.
func (b tokenBucket) opens(a *account, now Instant, share float64, need int64) Instant {
	if need <= 1 {
		return 0
	}
	short := float64(need) - b.level(a, now, share)
	if short <= 0 {
		return 0
	}
	return now.Add(interval(a.refill() / short))
}
