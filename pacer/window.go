package pacer

import (
	"math"
	"time"
)

// catchUp bounds how much faster than q/w a client goes that has more than the even share of its
// window left: more ends windows earlier but begins them with bursts, 1 leaves units unused.
const catchUp = 2

// entryMost is the part of a window over which clients enter it at most: more wait longer than an hourly
// reset and some, less come all at once where they are many.
const entryMost = 1.0 / 16

// A fixedWindow is the candidate for a limit that gives all q units back when a window
// ends, and none before.
//
// Say q = 100, w = 60 s, and 40 units are left with 30 s to go: the pace is one request every 0.7 s,
// 41 units in the 29 s that are sure to be left. With 10 left it is one every 2.6 s. When less than half a
// unit of what is left is this client's, it waits for the end.
type fixedWindow struct {
	told  span    // the end of the window that an answer told of last; zero: not known
	began int64   // units sent before the last window began that they were sent in
	index int32   // which one that is after the one told of
	phase float32 // in [0, 1): where in its first interval the client enters the next window
	haste haste
}

// open is the window that is open now: its end, and which one it is after the one told of.
func (w *fixedWindow) open(a *account, now Instant) (end span, index int64) {
	if now <= w.told.hi || a.window <= 0 || !w.told.known() {
		return w.told, 0
	}
	index = int64(now.Sub(w.told.hi)-1)/int64(a.window) + 1
	return w.told.shift(scale(a.window, float64(index))), index
}

// left is how many units of the window that is open now remain.
func (w *fixedWindow) left(a *account, index int64) int64 {
	switch index {
	case 0:
		return a.left()
	case int64(w.index):
		return max(0, a.quota-(a.units-w.began))
	default:
		return a.quota
	}
}

// take notes that units are sent now, before the account counts them.
func (w *fixedWindow) take(a *account, now Instant) {
	if _, index := w.open(a, now); index > int64(w.index) {
		w.index, w.began = int32(min(index, math.MaxInt32)), a.units
	}
}

func (w *fixedWindow) forecast(a *account, r *reading) forecast {
	if !w.told.known() {
		return forecast{most: float64(a.quota), high: float64(a.quota)}
	}
	same, next := w.inSame(a, r), w.inNext(a, r)
	switch {
	case r.now <= w.told.lo:
		return same
	case w.isNext(r):
		return next
	}
	return nearer(r, same, next)
}

// isNext reports whether a reading is surely of a window that began after the one told of.
func (w *fixedWindow) isNext(r *reading) bool {
	return r.sent > w.told.hi || r.end.known() && r.end.lo >= w.told.hi
}

// inSame is what is left if the window of the last reading is still open. Others are
// expected to spread what is left, too.
func (w *fixedWindow) inSame(a *account, r *reading) forecast {
	most := float64(a.remaining - r.own)
	others := r.others
	if a.refill() > 0 && w.told.mid() > a.at {
		spread := float64(a.remaining) / float64(w.told.mid().Sub(a.at))
		others = max(others, others/a.refill()*min(spread, catchUp*a.refill()))
	}
	expected := max(most-others*r.passed(a), 0)
	return forecast{most: most, low: expected, high: expected}
}

// inNext is what is left if a window has begun since. Of the own requests since the last
// reading any number may count for it.
func (w *fixedWindow) inNext(a *account, r *reading) forecast {
	quota := float64(a.quota)
	end, _ := w.open(a, r.now)
	since := min(float64(max(r.now.Sub(end.lo.Add(-a.window)), 0)), r.passed(a))
	others := r.others * since
	if w.haste.early > 0 { // they may use theirs as soon as it begins
		others = max(others, r.others*float64(a.window))
	}
	return forecast{
		most: quota - float64(min(r.cost, a.quota)),
		low:  max(quota-float64(r.own)-others, 0),
		high: quota,
	}
}

// impossible reports whether the reading tells of an end that no window can have: another
// one than that told before, while that window was still open.
func (w *fixedWindow) impossible(a *account, r *reading) bool {
	if !r.end.known() || !w.told.known() || r.end.meets(w.told.rounded()) {
		return false
	}
	end, index := w.open(a, r.now)
	if index > 0 {
		return a.windTold && !r.end.meets(span{lo: r.sent, hi: r.now.Add(a.window)}.rounded()) && !r.end.meets(end.rounded())
	}
	return r.now < w.told.lo.Add(-time.Second) || r.end.hi < w.told.lo
}

// learn takes in the end that a reading tells of, and reports whether it is that of a new
// window. u in [0, 1) is drawn per answer.
func (w *fixedWindow) learn(a *account, r *reading, u float64) (fresh bool) {
	old := w.told
	rose := r.left > a.remaining-r.own+r.doubt
	switch {
	case !r.end.known():
		if fresh = old.known() && (r.sent > old.hi || r.now > old.lo && rose); fresh {
			w.told, _ = w.open(a, r.now)
		}
	case !old.known():
		w.told = r.end
	case r.end.meets(old) && (r.sent <= old.hi && (r.now <= old.lo || !rose)):
		w.told = r.end.and(old)
	case r.end.meets(old.rounded()) && !rose && r.now <= old.hi.Add(time.Second):
		w.told = r.end // of the same window: the server rounds more than a second
	default:
		fresh = true
		w.told = r.end
		if a.window > 0 { // the window before was open when its last answer was on its way
			w.told = r.end.and(span{lo: a.sent.Add(a.window), hi: r.now.Add(a.window)})
		}
	}
	if w.index = 0; fresh || !old.known() {
		w.phase = float32(u)
	}
	return fresh
}

// used is how many units were used since the last reading, as a window accounts for it.
func (w *fixedWindow) used(a *account, r *reading, fresh bool) float64 {
	if fresh {
		return float64(a.quota - r.left)
	}
	return float64(a.remaining - r.left)
}

// pace is the pace for all clients of the quota together, in units per nanosecond.
func (w *fixedWindow) pace(a *account, now Instant, share, each float64) float64 {
	part := w.haste.lasts()
	rate := a.refill() / part
	end, _ := w.open(a, now)
	calm := scale(a.window, 1-part)
	left := w.expected(a, now, share)
	if until := end.hi.Sub(now) - calm; until > 0 {
		spread := min(left/float64(until), catchUp*rate)
		if !a.windTold { // it is at least as long as the longest reset, so q/w may be less
			return max(rate/2, spread)
		}
		rate = max(rate, spread)
	}
	if until := end.lo.Sub(now) - calm; until > 0 {
		rate = min(rate, (left+each)/float64(until))
	}
	return rate
}

// opens is when a client may go that has this share and needs so many units.
func (w *fixedWindow) opens(a *account, now Instant, share float64, need int64, slack time.Duration) Instant {
	end, index := w.open(a, now)
	switch {
	case !end.known():
		return 0
	case index > int64(w.index): // nothing was sent of this window yet
		if index == int64(w.index)+1 && !suffices(float64(w.left(a, int64(w.index))), 1, share) { // it was waited for
			return w.entry(a, end.shift(-a.window), share, slack)
		}
		return 0
	case suffices(w.expected(a, now, share), need, share):
		return 0
	}
	return w.entry(a, end, share, slack)
}

// suffices reports whether what is left is enough for a request of that need, and a whole unit
// of it this client's.
func suffices(left float64, need int64, share float64) bool {
	return left >= float64(need) && (left+0.5)*share >= 1
}

// expected is how many units of the window that is open remain if others, who have the rest of the
// share, spread theirs over it.
func (w *fixedWindow) expected(a *account, now Instant, share float64) float64 {
	end, index := w.open(a, now)
	left := float64(w.left(a, index))
	until := end.hi.Add(-scale(a.window, 1-w.haste.lasts())) // when they expect it to be used up
	if index > 0 || until <= a.at {
		return left
	}
	return left * (1 - (1-share)*min(max(float64(now.Sub(a.at))/float64(until.Sub(a.at)), 0), 1))
}

// entry is when the client enters the window that begins then. Clients of one quota enter
// it spread over their first interval, one after the other.
func (w *fixedWindow) entry(a *account, begins span, share float64, slack time.Duration) Instant {
	spread := min(float64(interval(a.refill()))*(1-share)/share, entryMost*float64(a.window))
	spread = min(spread, float64(mostInterval))
	return begins.hi.Add(slack).Add(scale(time.Duration(spread), float64(w.phase)*w.haste.lasts()))
}
