package pacer

// A slidingCounter is the candidate for a limit that counts all units of the current window, and a part of those
// of the window before. The part is the fraction of the current window that is still to come. Windows end as
// those of a fixedWindow do.
//
// An example with q = 100 and w = 60 s: 90 units were used in the window before. 20 s into this one, 60 of
// them still count, so r = 30 means that ten were used since. 1.5 units come back each second, and the pace
// is 1.5 + 30/60 = 2 per second, which uses up the remaining quota within a window.
type slidingCounter struct{ *account }

// fading returns how many units of the window before come back per nanosecond, and how many still count.
func (c slidingCounter) fading(m moment) (rate, still float64) {
	before := float64(c.past().before)
	if m.index == 1 {
		before = c.current()
	}
	if before == 0 || m.index > 1 || !c.ends.told.known() || c.window <= 0 {
		return 0, 0
	}
	return before / float64(c.window), before * within(c.windows(c.end(m).mid().Sub(m.now)), 0, 1)
}

// current returns how many units of the last reported window were used at that report.
func (c slidingCounter) current() float64 {
	part := within(c.windows(c.ends.told.mid().Sub(c.at)), 0, 1)
	return max(float64(c.quota-c.remaining)-float64(c.past().before)*part, 0)
}

// forecast returns the better of two forecasts: the window of the last reading is still open, or another one
// is.
func (c slidingCounter) forecast(r *reading) (f forecast, excluded bool) {
	isNext, used, own := c.ends.isNext(r), r.others*r.passed, float64(r.own)
	rate, still := c.fading(r.moment)
	left := float64(c.remaining) + rate*r.passed - own
	same := forecast{most: left + 1, alone: left, low: greater(left-used, 0), high: greater(left-used+1, 0)}
	excluded = c.isTooLong(r, rate)
	if r.now <= c.ends.told.lo && !isNext {
		return same, excluded
	}
	next := forecast{alone: float64(c.quota) - still - own}
	if r.index == 0 { // it ended a little sooner than the stored span says
		next.alone = same.alone
		still = c.current()
		rate = still / float64(max(c.window, 1))
	}
	about := 1 + rate*float64(c.ends.told.hi-c.ends.told.lo)
	left = float64(c.quota) - still
	next.most, next.high = left-float64(min(r.cost, c.quota))+about, max(left+about, 0)
	next.low = max(left-own-used-about+1, 0)
	same.alone = next.alone
	if isNext || isNearer(r, &next, &same) {
		return next, c.isTooLong(r, rate)
	}
	return same, excluded
}

// usedBefore returns how many units all clients used in the window before the one that a reading begins.
// Early in the new window the missing units show it, near its end they do not.
func (c slidingCounter) usedBefore(r *reading) float32 {
	if part := c.windows(c.ends.next(c.account, r).mid().Sub(r.now)); part > 0.25 {
		return float32(within(float64(c.quota-r.left-r.cost)/min(part, 1), 0, float64(c.quota)))
	}
	return float32(c.current())
}

func (c slidingCounter) stock(m moment) float64 {
	there, _ := c.balance(m)
	return max(there, 0)
}

func (c slidingCounter) pace(m moment, _ float64) float64 {
	there, rate := c.balance(m)
	return m.share * within(rate+max(there, 0)/float64(max(c.window, 1)), c.refill()/2, catchUp*c.refill())
}

// balance returns how many units are there, and how many come back per nanosecond. A negative number must
// come back before the first is there.
func (c slidingCounter) balance(m moment) (there, rate float64) {
	rate, still := c.fading(m)
	if m.index > 0 {
		return float64(c.leftIn(m.index)) - still, rate
	}
	return float64(c.remaining-(c.units-c.mark)) + rate*float64(max(m.now.Sub(c.at), 0)), rate
}

// opens is never later than the end of the window.
func (c slidingCounter) opens(m moment, need int64) Instant {
	there, rate := c.balance(m)
	short := float64(need) - there
	switch {
	case short <= 0:
		return 0
	case rate <= 0, m.index > 0 && m.now >= c.end(m).mid(): // nothing more comes back before the end
		return c.end(m).hi
	}
	return min(m.now.Add(interval(rate/short)), max(c.end(m).hi, m.now.Add(1)))
}
