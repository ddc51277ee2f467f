package pacer_test

import (
	"math"
	"time"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/pacer"
)

// The limiters of textbooks, for tests that must not depend on package ratelimittest. Times are seconds.

// A ruling is what a limiter decides about one request.
type ruling struct {
	ok    bool
	left  float64 // units that are there now
	reset float64 // time until more are there, as this limiter tells it
	wait  float64 // time until such a request would be served
}

type textbook interface{ take(at float64) ruling }

// A fixedWindow begins by the clock, or with the first request after its end.
type fixedWindow struct {
	q, w       float64
	byClock    bool
	ends, used float64
}

func (l *fixedWindow) take(at float64) ruling {
	if at >= l.ends {
		l.used, l.ends = 0, at+l.w
		if l.byClock {
			l.ends = (math.Floor(at/l.w) + 1) * l.w
		}
	}
	ok := l.used < l.q
	if ok {
		l.used++
	}
	return ruling{ok, l.q - l.used, l.ends - at, l.ends - at}
}

// A slidingLog gives each unit back one window after its use.
type slidingLog struct {
	q, w  float64
	times []float64
	all   bool // the reset is when all units are back, else when the first is
}

func (l *slidingLog) take(at float64) ruling {
	for len(l.times) > 0 && l.times[0] <= at-l.w {
		l.times = l.times[1:]
	}
	ok := float64(len(l.times)) < l.q
	if ok {
		l.times = append(l.times, at)
	}
	first, last := l.times[0]+l.w-at, l.times[len(l.times)-1]+l.w-at
	r := ruling{ok: ok, left: l.q - float64(len(l.times)), reset: first, wait: first}
	if l.all {
		r.reset = last
	}
	return r
}

// A slidingCounter counts this window and a part of the one before.
type slidingCounter struct {
	q, w                   float64
	begun, current, before float64
}

func (l *slidingCounter) take(at float64) ruling {
	if n := math.Floor((at - l.begun) / l.w); n > 0 {
		if l.before = l.current; n > 1 {
			l.before = 0
		}
		l.begun, l.current = l.begun+n*l.w, 0
	}
	part := 1 - (at-l.begun)/l.w
	used := l.current + math.Floor(l.before*part)
	ok := used < l.q
	if ok {
		l.current++
		used++
	}
	end := l.begun + l.w - at
	wait := end
	if l.before > 0 && l.current < l.q {
		wait = max(0, min(end, (part-(l.q-l.current)/l.before)*l.w))
	}
	return ruling{ok, max(0, l.q-used), end, wait}
}

// A tokenBucket is also a GCRA.
type tokenBucket struct {
	q, w, capacity float64
	level, at      float64
	all            bool // the reset is when the bucket is full, else when the next unit is there
}

func (l *tokenBucket) take(at float64) ruling {
	l.level = min(l.capacity, l.level+max(0, at-l.at)*l.q/l.w)
	l.at = max(l.at, at)
	ok := l.level >= 1-1e-9
	if ok {
		l.level--
	}
	left := math.Floor(l.level + 1e-9)
	r := ruling{ok: ok, left: left, reset: (left + 1 - l.level) * l.w / l.q, wait: max(0, 1-l.level) * l.w / l.q}
	if l.all {
		r.reset = (l.capacity - l.level) * l.w / l.q
	}
	return r
}

// An exponential limits an average rate, in which requests fade exponentially.
type exponential struct{ q, w, average, at float64 }

func (l *exponential) take(at float64) ruling {
	with := func(at float64) float64 {
		d := max((at-l.at)/l.w, 1e-10)
		return max(1, -math.Expm1(-d)/d+math.Exp(-d)*l.average)
	}
	r := ruling{ok: with(at) <= l.q+1e-9}
	if r.ok {
		l.average, l.at = with(at), at
	} else {
		least, most := 0.0, 10*l.w
		for range 40 {
			if mid := (least + most) / 2; with(at+mid) <= l.q {
				most = mid
			} else {
				least = mid
			}
		}
		r.wait = most
	}
	now := l.average * math.Exp(-(at-l.at)/l.w)
	r.left = max(0, math.Floor(l.q-now))
	r.reset = max(0, l.q-now) * l.w / l.q
	return r
}

// A telling is the way in which a server tells its limit.
type telling int

const (
	tellDraft10 telling = iota
	tellTrio            // no window
	tellEpoch           // no window; the end is a whole second since 1970, and so is Date
	tellCounts          // no time at all, but on refusals
	tellWaits           // Retry-After alone
	tellNothing
	tellings
)

func (t telling) String() string {
	return [...]string{"draft-10", "trio", "epoch", "counts", "Retry-After", "bare"}[t]
}

// isTold reports whether responses report the limit.
func (t telling) isTold() bool { return t < tellWaits }

// answer returns what a client reads. limit has room for the report.
func (t telling) answer(r *ruling, q, w, at float64, limit *[1]limits.Told) pacer.Answer {
	a := pacer.Answer{RetryAfter: pacer.Unknown, Refused: !r.ok}
	if a.Refused && t != tellNothing {
		a.RetryAfter = wholeUp(max(r.wait, 1e-3))
	}
	if !t.isTold() {
		return a
	}
	l := &limit[0]
	*l = limits.Told{Policy: "default", Quota: int64(q), Remaining: int64(r.left), Window: pacer.Unknown, Reset: wholeUp(r.reset)}
	switch t {
	case tellDraft10:
		l.Window = inSeconds(w)
	case tellEpoch:
		l.Reset = wholeUp(at + r.reset - math.Floor(at))
	case tellCounts:
		l.Reset = pacer.Unknown
	}
	a.Limits = limit[:]
	return a
}

func wholeUp(s float64) time.Duration { return time.Duration(math.Ceil(s-1e-9)) * time.Second }

func inSeconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
