package pacer

import "time"

// A slidingCounter is the candidate for a limit that counts the units of the window that is
// open, and of those of the window before the part that a window ending now would still
// hold. Windows end as those of a fixedWindow do.
//
// Say q = 100, w = 60 s, and 90 units were used in the window before. 20 s into this one 60 of them
// still count, so that of r = 30 ten have been used since. 1.5 units come back each second,
// and the pace is 1.5 + 30/60 = 2 per second: what is left is to be used up within a window.
type slidingCounter struct {
	before float32 // units that were used in the window before the one told of last, by all
}

// fading is how many units come back per nanosecond, and how many still count.
func (c *slidingCounter) fading(a *account, w *fixedWindow, now Instant) (rate, still float64) {
	end, index := w.open(a, now)
	if !end.known() || a.window <= 0 {
		return 0, 0
	}
	before := float64(c.before)
	switch {
	case index == 1:
		before = c.current(a, w)
	case index > 1:
		before = 0
	}
	part := float64(end.mid().Sub(now)) / float64(a.window)
	return before / float64(a.window), before * min(max(part, 0), 1)
}

// current is how many units of the window told of were used when that was told.
func (c *slidingCounter) current(a *account, w *fixedWindow) float64 {
	part := float64(w.told.mid().Sub(a.at)) / float64(max(a.window, 1))
	return max(float64(a.quota-a.remaining)-float64(c.before)*min(max(part, 0), 1), 0)
}

func (c *slidingCounter) forecast(a *account, w *fixedWindow, r *reading) forecast {
	rate, still := c.fading(a, w, r.now)
	left := float64(a.remaining - r.own)
	expected := left + (rate-r.others)*r.passed(a)
	same := forecast{most: left + rate*r.passed(a) + 1, low: max(expected, 0), high: max(expected+1, 0)}
	isNext := w.isNext(r)
	if _, index := w.open(a, r.now); index == 0 && isNext {
		rate = c.current(a, w) / float64(max(a.window, 1))
	}
	// Where units come back all the time one is there soon.
	same.excluded = r.refused && a.windTold && rate > 0 && r.wait > interval(rate/float64(max(r.cost, 1)))+2*time.Second
	if r.now <= w.told.lo && !isNext {
		return same
	}
	if _, index := w.open(a, r.now); index == 0 { // it has ended a little sooner than is known
		rate = c.current(a, w) / float64(max(a.window, 1))
		still = c.current(a, w)
	}
	about := rate * float64(w.told.hi-w.told.lo)
	free := float64(a.quota) - still
	next := forecast{
		excluded: same.excluded,
		most:     free - float64(min(r.cost, a.quota)) + 1 + about,
		low:      max(free-float64(r.own)-r.others*r.passed(a)-about, 0),
		high:     max(free+about+1, 0),
	}
	if isNext {
		return next
	}
	return nearer(r, same, next)
}

// learn takes in what still counts of the window before when one has begun. It is called
// after the window has learned of it.
func (c *slidingCounter) learn(a *account, w *fixedWindow, r *reading, current float64) {
	if part := float64(w.told.mid().Sub(r.now)) / float64(max(a.window, 1)); part > 0.25 {
		c.before = float32(min(max(float64(a.quota-r.left-r.cost)/min(part, 1), 0), float64(a.quota)))
		return
	}
	c.before = float32(current)
}

// used is how many units were used since the last reading.
func (c *slidingCounter) used(a *account, w *fixedWindow, r *reading) float64 {
	rate, still := c.fading(a, w, r.now)
	if _, index := w.open(a, r.now); index == 0 {
		return float64(a.remaining-r.left) + rate*r.passed(a)
	}
	return float64(a.quota-r.left) - still
}

// left is how many units are there.
func (c *slidingCounter) left(a *account, w *fixedWindow, now Instant) float64 {
	return max(c.balance(a, w, now), 0)
}

// balance is left, or how many units have to come back before the first is there.
func (c *slidingCounter) balance(a *account, w *fixedWindow, now Instant) float64 {
	rate, still := c.fading(a, w, now)
	_, index := w.open(a, now)
	if index == 0 {
		return float64(a.remaining-(a.units-a.mark)) + rate*float64(max(now.Sub(a.at), 0))
	}
	return float64(w.left(a, index)) - still
}

// pace is the pace for all clients together, in units per nanosecond: what comes back, and what is
// left over a window.
func (c *slidingCounter) pace(a *account, w *fixedWindow, now Instant) float64 {
	rate, _ := c.fading(a, w, now)
	return min(rate+c.left(a, w, now)/float64(max(a.window, 1)), catchUp*a.refill())
}

// opens is when so many units are there, or the window ends.
func (c *slidingCounter) opens(a *account, w *fixedWindow, now Instant, need int64) Instant {
	left := c.balance(a, w, now)
	if left >= float64(need) {
		return 0
	}
	end, _ := w.open(a, now)
	rate, _ := c.fading(a, w, now)
	if rate <= 0 {
		return end.hi
	}
	return min(now.Add(interval(rate/(float64(need)-left))), max(end.hi, now.Add(1)))
}
