package pacer

import "time"

// This file has the candidate for a fixed window: what it forecasts, its pace, and how clients enter a window.

// catchUp bounds the pace, in multiples of q/w, if more than an even share of the window remains. More:
// windows end earlier but begin with bursts. 1: units stay unused.
const catchUp = 2

// entryMost is the largest part of a window in which the clients of a quota enter it, one after the other. More:
// waits for an hourly reset exceed the usual MaxWait, 65 minutes. Less: many clients come at once.
const entryMost = 1.0 / 16

// A fixedWindow is the candidate for a limit that gives all q units back when a window ends, and none before.
//
// An example: q = 100 and w = 60 s, with 40 units and 30 s left. The pace is one request every 0.7 s, which is
// 41 units in the 29 s that are certain. With 10 units left it is one every 2.6 s. If less than one
// unit of the remaining quota is this client's, it waits for the end. A client alone then goes on at q/w.
type fixedWindow struct{ *account }

// forecast returns the better of two forecasts: the window of the last reading is still open, or another one is.
func (w fixedWindow) forecast(r *reading) (f forecast, excluded bool) {
	told := w.ends.told
	if !told.known() {
		return forecast{most: float64(w.quota), alone: float64(w.remaining - r.own), high: float64(w.quota)}, false
	}
	f = w.inSame(r)
	if r.fresh || r.now > told.lo {
		alone, next := f.alone, w.inNext(r)
		if r.fresh {
			alone = next.alone
		}
		if w.ends.isNext(r) || r.now > told.lo && isNearer(r, &next, &f) {
			f = next
		}
		f.alone = alone
	}
	return f, w.impossible(r)
}

// inSame forecasts r if the window of the last reading is still open. Other clients are expected to spread
// the remaining quota, too.
func (w fixedWindow) inSame(r *reading) forecast {
	most := float64(w.remaining - r.own)
	others, until := r.others, w.ends.told.mid()
	if others > 0 && until > w.at {
		spread := float64(w.remaining) / float64(until.Sub(w.at))
		others = greater(others, others/r.refill*lesser(spread, catchUp*r.refill))
	}
	return forecast{most: most, alone: most, low: greater(most-others*r.passed, 0), high: greater(most-r.others*r.passed, 0)}
}

// inNext forecasts r if a window has begun since. Any number of the own requests since the last reading may
// count for it.
func (w fixedWindow) inNext(r *reading) forecast {
	quota := float64(w.quota)
	since := min(float64(max(r.now.Sub(w.end(r.moment).lo.Add(-w.window)), 0)), r.passed)
	others := r.others * min(since/w.lasts(), float64(w.window)) // at most as long as the quota lasts
	return forecast{
		most:  quota - float64(min(r.cost, w.quota)),
		alone: quota - float64(max(r.own, r.cost)),
		low:   max(quota-float64(r.own)-others, 0),
		high:  quota,
	}
}

// impossible reports whether the reading has an end that no window can have: another end than before, while
// that window was still open.
func (w fixedWindow) impossible(r *reading) bool {
	told := w.ends.told
	if !r.end.known() || r.end.meets(told.rounded()) {
		return false
	}
	if r.index > 0 {
		one := span{lo: r.sent, hi: r.now.Add(w.window)}
		return w.source == fromServer && !r.end.meets(one.rounded()) && !r.end.meets(w.end(r.moment).rounded())
	}
	return r.now < told.rounded().lo || r.end.hi < told.lo
}

func (w fixedWindow) stock(m moment) float64 { return float64(w.leftIn(m.index)) }

// pace spreads the remaining quota over the rest of the window. The end is uncertain, so the pace is between two
// bounds: the rest used up at the latest possible end, and one request more at the earliest.
func (w fixedWindow) pace(m moment, each float64) float64 {
	left, end := w.expected(m), w.end(m)
	rate, calm := w.refill(), time.Duration(0)
	if lasts := w.lasts(); lasts < 1 {
		rate, calm = rate/lasts, w.calm()
	}
	if until := end.hi.Sub(m.now) - calm; until > 0 {
		spread := lesser(left/float64(until), catchUp*rate)
		isAlone := left < each && m.share == 1 // and waits for the end
		switch isBounded := w.kept != nil && w.kept.period != nil && w.kept.period.most > 0; {
		case w.source == fromServer, w.source == fromCounts && isBounded && isAlone:
		case w.source == fromReset && isAlone: // the reset may be cut to the second
			return max(rate/2, 1/(1/rate+float64(rounding)))
		default: // the window is at least the longest reset, so q/w may be less
			return m.share * max(rate/2, spread)
		}
		rate = greater(rate, spread)
	}
	if until := end.lo.Sub(m.now) - calm; until > 0 {
		rate = lesser(rate, (left+each)/float64(until))
	}
	return m.share * rate
}

func (w fixedWindow) opens(m moment, need int64) Instant {
	last := int64(w.ends.index)
	switch {
	case !w.ends.told.known():
		return 0
	case m.index > last: // no unit of this window was sent yet
		if m.index == last+1 && !suffices(float64(w.leftIn(last)), 1, m.share) { // the client has waited for it
			return w.entry(w.end(m).shift(-w.window), m.share)
		}
		return 0
	case suffices(w.expected(m), need, m.share):
		return 0
	}
	return w.entry(w.end(m), m.share)
}

// suffices reports whether the remaining quota is enough for a request, and at least a unit of it is this
// client's.
func suffices(left float64, need int64, share float64) bool {
	return left >= float64(need) && (left+0.5)*share >= 1
}

// calm returns how long before its end other clients will probably have used up a window.
func (w fixedWindow) calm() time.Duration {
	return scale(w.window, 1-w.lasts())
}

// expected returns the remaining units of the current window if other clients spread their share over it.
func (w fixedWindow) expected(m moment) float64 {
	left := float64(w.leftIn(m.index))
	if m.index > 0 || m.share == 1 {
		return left
	}
	until := w.end(m).hi.Add(-w.calm())
	if until <= w.at {
		return left
	}
	return left * (1 - (1-m.share)*lesser(greater(float64(m.now.Sub(w.at))/float64(until.Sub(w.at)), 0), 1))
}

// entry returns when this client enters the window that begins then. The clients of a quota enter it one
// after the other, within their first interval.
func (w fixedWindow) entry(begins span, share float64) Instant {
	spread := min(w.lasts()*float64(interval(w.refill()))*(1-share)/share, entryMost*float64(min(w.window, mostInterval)))
	return begins.hi.Add(scale(1, spread*float64(w.ends.phase)))
}
