package pacer

import (
	"time"
)

// limit is what is known of one policy.
type limit struct {
	name, key string

	quota  int64         // q; while not told, the largest remaining seen
	window time.Duration // w; while not told, the largest reset seen, or what was measured
	qSrc   source
	wSrc   source

	remaining int64   // r as last told, Unknown if never
	mark      int64   // units sent up to the request whose answer told it
	seq       uint64  // the request whose answer last told this limit
	at        Instant // its receipt

	end     end   // of the window
	began   int64 // units sent before the window began, as far as known
	recent  recent
	longest time.Duration // the longest reset that was told
	entry   float64       // in [0, 1): where in the first interval of the next window this client enters

	refill refill
	share  share
}

// A source says how a number came to be known.
type source uint8

const (
	seen     source = iota // the largest value that passed by
	measured               // worked out from what the server did
	told                   // the server's word
)

// left is how many units remain for requests that are yet to be sent.
func (l *limit) left(units int64) int64 {
	return max(0, l.remaining-(units-l.mark))
}

// nominal is q/w in units per nanosecond; 0 if it is not known.
func (l *limit) nominal() float64 {
	if l.quota <= 0 || l.window <= 0 {
		return 0
	}
	return float64(l.quota) / float64(l.window)
}

// interval is the gap at this client's share of the nominal rate.
func (l *limit) interval() time.Duration { return gapOf(l.nominal() * l.share.value()) }

// gap is the interval that this limit asks for; 0 if it asks for none.
func (l *limit) gap(now Instant, units int64) time.Duration { return gapOf(l.rate(now, units)) }

func gapOf(rate float64) time.Duration {
	if rate <= 0 {
		return 0
	}
	return scale(1, 1/rate)
}

func (l *limit) rate(now Instant, units int64) float64 {
	nominal, s := l.nominal(), l.share.value()
	if l.remaining == Unknown {
		return s * nominal
	}
	left := float64(l.left(units))
	if l.refill.proven() {
		nominal /= l.refill.stretch()
		return nominal * l.refill.share(s, min(float64(l.quota), left+s*nominal*float64(now.Sub(l.at))), float64(l.quota))
	}
	return s * l.end.rate(now, left, nominal, l.wSrc != seen)
}

// floor is the time before which this limit lets nothing go: its window is used up.
func (l *limit) floor(units, cost int64, slack time.Duration) Instant {
	if l.remaining == Unknown || l.refill.proven() || !l.end.known() || cost == 0 {
		return 0
	}
	s := l.share.value()
	left := l.left(units)
	if left >= min(cost, max(l.quota, 1)) && (float64(left)*s >= 1 || units == l.began) {
		return 0
	}
	return l.end.hi.Add(slack).Add(scale(l.interval(), l.entry))
}

// credit is how many requests an idle client may send unspaced.
func (l *limit) credit(cfg *Config, units int64) float64 {
	if cfg.Burst < 0 {
		return 0
	}
	q := float64(l.quota)
	share := cfg.Burst * q
	if cfg.Burst == 0 {
		share = max(DefaultBurst*q, min(10, q/4))
	}
	c := max(1, share)
	if l.remaining != Unknown {
		c = min(c, float64(l.left(units)-1))
	}
	return max(c, 0)
}

// roll begins a new window if the last one known of has ended without news.
func (l *limit) roll(now Instant, units int64) {
	if l.refill.proven() || l.window <= 0 || !l.end.known() || now <= l.end.hi {
		return
	}
	l.end.roll(now, l.window)
	l.open(units)
	l.remaining, l.mark = max(l.quota, 1), units
	if l.wSrc == seen {
		l.remaining = 1 // nobody said how long a window is: ask before believing in a new one
	}
}

// open notes that a window began when so many units had been sent.
func (l *limit) open(units int64) { l.began = units }

// over reports whether nothing that was told about the limit still holds.
func (l *limit) over(now Instant) bool {
	return now > l.end.hi && now > l.at.Add(l.window)
}

// told takes in what an answer says of the limit.
func (l *limit) told(now Instant, t Ticket, in *Limit, refused bool, u float64) {
	first := l.seq == 0 || l.remaining == Unknown
	l.seq = t.seq
	l.policy(in)
	if in.Remaining == Unknown {
		l.at = now
		return
	}
	if first {
		l.end, l.entry = tell(now, t.sent, in.Reset), u
	} else {
		l.follow(now, t, in, refused, u)
	}
	l.remaining, l.mark, l.at = in.Remaining, t.units, now
}

// follow compares a reading with the one before it.
func (l *limit) follow(now Instant, t Ticket, in *Limit, refused bool, u float64) {
	own := t.units - l.mark
	r := reading{
		now: now, sent: t.sent, own: own, left: in.Remaining,
		came: in.Remaining - max(0, l.remaining-own),
		end:  tell(now, t.sent, in.Reset),
	}
	guessed := l.end.guessed
	old := l.end.before(l.window)
	fresh := l.turn(r)
	if fresh && !guessed {
		l.open(l.mark)
	}
	slid := fresh && !l.refill.proven() && l.slides(r, old)
	switch {
	case slid:
		l.refill.prove()
		l.share = share{}
	default:
		fall := l.remaining - in.Remaining
		if fresh {
			fall = l.quota - in.Remaining
		}
		if refused {
			own = max(0, own-t.cost)
		}
		l.share.observe(own, fall, l.quota)
	}
	if fresh {
		if l.wSrc != told && !slid {
			l.measure(r, old)
		}
		l.entry = u
	}
	if l.refill.proven() {
		l.refill.observe(r)
	}
	if l.refill.proven() {
		l.refill.adjust(r, l.quota)
	}
	if l.refill.proven() && l.refill.doubt(r) {
		l.refill = refill{}
		if l.wSrc != told {
			l.window, l.wSrc = in.Reset, seen
		}
	}
}

// A reading is one answer's news of a limit, set against the one before.
type reading struct {
	now, sent Instant
	own       int64 // units of this client's own since
	left      int64
	came      int64 // units that are there again
	end       end
}

func (l *limit) policy(in *Limit) {
	if in.Quota != Unknown {
		l.quota, l.qSrc = in.Quota, told
	} else if l.qSrc != told {
		l.quota = max(l.quota, in.Remaining)
	}
	switch {
	case in.Window > 0:
		l.window, l.wSrc = in.Window, told
	case l.wSrc == seen:
		l.longest = max(l.longest, in.Reset)
		l.window = max(l.window, in.Reset)
	case l.wSrc == measured && in.Reset > l.window+2*time.Second:
		l.window, l.wSrc = in.Reset, seen
	}
}

// turn takes in the end that a reading tells, and reports whether a new window has begun.
func (l *limit) turn(r reading) bool {
	old := l.end
	switch {
	case !r.end.known():
		return r.came > 0
	case !old.known(), l.refill.proven():
		l.end = r.end
		return false
	case old.guessed && r.end.meets(old.before(l.window).wider(time.Second)):
		// The window that was believed to be over is not.
		l.end = r.end
		return false
	case old.guessed:
		l.end = r.end
		return true
	case r.came > 0 && r.now < old.lo.Add(-time.Second):
		l.refill.evidence++
		l.end = r.end
		return false
	case r.came > 0:
		// The old window was still on when the last answer was under way.
		l.end = r.end.and(end{lo: l.at.Add(l.window), hi: r.now.Add(l.window)})
		return true
	case r.end.meets(old):
		l.end = r.end.and(old)
		return false
	case r.end.mid().Sub(old.mid()) < l.window/2:
		l.refill.evidence++
		l.end = r.end
		return false
	}
	l.end = r.end
	return true
}

// slides reports whether a window that seems new still counts requests of the last one.
func (l *limit) slides(r reading, old end) bool {
	if !old.known() {
		return false
	}
	used := float64(l.quota - r.left)
	before := float64(l.recent.sum(r.now, l.window) - r.own)
	open := float64(r.now.Sub(old.lo)) * l.nominal()
	return before >= 3 && used > float64(r.own)+2*open+0.3*before
}

// measure takes the distance of two windows' ends for a window's length.
func (l *limit) measure(r reading, old end) {
	refilled := 2*(r.left-l.remaining) > l.quota-l.remaining
	if !old.known() || !r.end.known() || !refilled || r.now.Sub(l.at) > l.window/2 {
		return
	}
	moved := l.end.mid().Sub(old.mid()).Round(time.Second)
	if moved > 0 && moved <= l.window && moved >= l.window-2*time.Second {
		l.window, l.wSrc = moved, measured
	}
}

func (l *limit) cancelled(t Ticket) {
	if l.mark >= t.units {
		l.mark -= t.cost
	}
}
