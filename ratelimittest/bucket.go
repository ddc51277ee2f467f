package ratelimittest

import (
	"math"
	"time"
)

// A bucket is the state of one client's token bucket.
type bucket struct {
	tokens   int64
	fraction int64     // of the next token, in units of 1/window: a whole token has as many as the window has nanoseconds
	at       time.Time // the time up to which refills are included
}

// A refill describes how a bucket fills: quota tokens per window, in steps, up to capacity.
type refill struct {
	quota, capacity int64
	window, step    time.Duration
}

func (r refill) full(now time.Time) bucket { return bucket{tokens: r.capacity, at: now} }

// apply returns the bucket at the time now. A continuous refill has steps of one nanosecond. After 292 years,
// the longest time.Duration, the bucket is full.
func (r refill) apply(s bucket, now time.Time) bucket {
	elapsed := max(now.Sub(s.at), 0)
	overflows := elapsed == math.MaxInt64
	elapsed -= elapsed % r.step
	came, fraction, fits := mulAddDiv(r.quota, int64(elapsed), uint64(s.fraction), int64(r.window))
	if overflows || !fits || came >= r.capacity-s.tokens {
		return r.full(later(now, s.at))
	}
	return bucket{tokens: s.tokens + came, fraction: fraction, at: s.at.Add(elapsed)}
}

// wait returns the time from s.at until the bucket has that many more tokens, ignoring its capacity. It
// returns false if that takes more than 292 years, the longest time.Duration.
func (r refill) wait(s bucket, tokens int64) (time.Duration, bool) {
	switch {
	case r.quota == 0:
		return 0, false
	case tokens <= 0:
		return 0, true
	}
	// (tokens × window − fraction) / quota, rounded up, and then rounded up to whole steps.
	up := uint64(int64(r.window)-s.fraction) + uint64(r.quota-1)
	wait, _, fits := mulAddDiv(tokens-1, int64(r.window), up, r.quota)
	if !fits || wait > math.MaxInt64-int64(r.step) {
		return 0, false
	}
	wait += int64(r.step) - 1
	return time.Duration(wait - wait%int64(r.step)), true
}
