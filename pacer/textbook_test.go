package pacer_test

import (
	"math"
	"time"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/pacer"
)

// The limiters of textbooks, written without package ratelimittest, so that a mistake there cannot hide one here.
// Times are seconds, and never go back.

// A textbook limiter decides about one request after the other.
type textbook interface{ take(at float64) ruling }

// A ruling is what a limiter decides about one request, and what it reports about its state after that.
type ruling struct {
	ok    bool    // the request is served
	left  float64 // units that can be used at once
	reset float64 // time until more can be, as this limiter reports it
	wait  float64 // time until the next request would be served, for Retry-After
}

// A fixedWindow counts requests, and forgets them all when the window ends.
type fixedWindow struct {
	quota, window float64
	byClock       bool // windows follow each other by the clock; else one begins with the first request after the last
	ends, used    float64
}

func (l *fixedWindow) take(at float64) ruling {
	if at >= l.ends {
		l.used, l.ends = 0, at+l.window
		if l.byClock {
			l.ends = (math.Floor(at/l.window) + 1) * l.window
		}
	}
	ok := l.used < l.quota
	if ok {
		l.used++
	}
	return ruling{ok: ok, left: l.quota - l.used, reset: l.ends - at, wait: l.ends - at}
}

// A slidingLog remembers each request for one window.
type slidingLog struct {
	quota, window float64
	all           bool // it reports when all units are back, else when the first one is
	times         []float64
}

func (l *slidingLog) take(at float64) ruling {
	for len(l.times) > 0 && l.times[0] <= at-l.window {
		l.times = l.times[1:]
	}
	ok := float64(len(l.times)) < l.quota
	if ok {
		l.times = append(l.times, at)
	}
	first, last := l.times[0]+l.window-at, l.times[len(l.times)-1]+l.window-at
	r := ruling{ok: ok, left: l.quota - float64(len(l.times)), reset: first, wait: first}
	if l.all {
		r.reset = last
	}
	return r
}

// A slidingCounter adds the requests of this window and a part of those of the last one, which shrinks to nothing.
type slidingCounter struct {
	quota, window          float64
	begun, current, before float64
}

func (l *slidingCounter) take(at float64) ruling {
	if n := math.Floor((at - l.begun) / l.window); n > 0 {
		if l.before = l.current; n > 1 {
			l.before = 0
		}
		l.begun, l.current = l.begun+n*l.window, 0
	}
	part := 1 - (at-l.begun)/l.window
	used := l.current + math.Floor(l.before*part)
	ok := used < l.quota
	if ok {
		l.current++
		used++
	}
	end := l.begun + l.window - at
	wait := end
	if l.before > 0 && l.current < l.quota {
		wait = max(0, min(end, (part-(l.quota-l.current)/l.before)*l.window))
	}
	return ruling{ok: ok, left: max(0, l.quota-used), reset: end, wait: wait}
}

// A tokenBucket fills evenly. A GCRA is the same seen from outside.
type tokenBucket struct {
	quota, window float64 // it gets quota units in each window
	capacity      float64
	all           bool // it reports when it is full, else when the next unit is there
	level, at     float64
}

func (l *tokenBucket) take(at float64) ruling {
	const tiny = 1e-9 // of a unit may be lost by rounding
	l.level = min(l.capacity, l.level+max(0, at-l.at)*l.quota/l.window)
	l.at = max(l.at, at)
	ok := l.level >= 1-tiny
	if ok {
		l.level--
	}
	left := math.Floor(l.level + tiny)
	r := ruling{
		ok: ok, left: left,
		reset: (left + 1 - l.level) * l.window / l.quota, wait: max(0, 1-l.level) * l.window / l.quota,
	}
	if l.all {
		r.reset = (l.capacity - l.level) * l.window / l.quota
	}
	return r
}

// An exponential limiter keeps the average rate within the quota. Old requests fade from the average exponentially.
type exponential struct{ quota, window, average, at float64 }

func (l *exponential) take(at float64) ruling {
	r := ruling{ok: l.with(at) <= l.quota+1e-9}
	if r.ok {
		l.average, l.at = l.with(at), at
	} else {
		r.wait = l.wait(at)
	}
	now := l.average * math.Exp(-(at-l.at)/l.window)
	r.left = max(0, math.Floor(l.quota-now))
	r.reset = max(0, l.quota-now) * l.window / l.quota
	return r
}

// with returns the average after a request that is served at this time.
func (l *exponential) with(at float64) float64 {
	d := max((at-l.at)/l.window, 1e-10)
	return max(1, -math.Expm1(-d)/d+math.Exp(-d)*l.average)
}

// wait returns how long a request has to wait, by bisection.
func (l *exponential) wait(at float64) float64 {
	least, most := 0.0, 10*l.window
	for range 40 {
		if mid := (least + most) / 2; l.with(at+mid) <= l.quota {
			most = mid
		} else {
			least = mid
		}
	}
	return most
}

// A reporting is the way in which a server reports its limit.
type reporting int

const (
	reportDraft10 reporting = iota
	reportTrio              // quota, what is left and the reset, but no window
	reportEpoch             // the same with the reset in whole seconds since 1970, which count from Date
	reportCounts            // no time at all, but on refusals
	reportWaits             // Retry-After alone
	reportNothing
	reportings // how many there are
)

func (t reporting) String() string {
	return [...]string{"draft-10", "trio", "epoch", "counts", "Retry-After", "bare"}[t]
}

// hasCounts reports whether each response reports the limit.
func (t reporting) hasCounts() bool { return t < reportWaits }

// answer returns what a client reads in a response. The report is stored in limit, which saves an allocation.
func (t reporting) answer(r *ruling, quota, window, at float64, limit *[1]limits.Reported) pacer.Answer {
	a := pacer.Answer{RetryAfter: pacer.Unknown, Refused: !r.ok}
	if a.Refused && t != reportNothing {
		a.RetryAfter = wholeUp(max(r.wait, 1e-3))
	}
	if !t.hasCounts() {
		return a
	}
	limit[0] = limits.Reported{
		Policy: "default", Quota: int64(quota), Remaining: int64(r.left), Window: pacer.Unknown, Reset: wholeUp(r.reset),
	}
	switch t {
	case reportDraft10:
		limit[0].Window = inSeconds(window)
	case reportEpoch:
		limit[0].Reset = wholeUp(at + r.reset - math.Floor(at))
	case reportCounts:
		limit[0].Reset = pacer.Unknown
	}
	a.Limits = limit[:]
	return a
}

// wholeUp returns whole seconds, rounded up as servers do.
func wholeUp(s float64) time.Duration { return time.Duration(math.Ceil(s-1e-9)) * time.Second }

func inSeconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
