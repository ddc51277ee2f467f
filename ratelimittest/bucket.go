package ratelimittest

import (
	"math"
	"time"
)

// A bucket is one client's tokens.
type bucket struct {
	tokens int64
	part   int64     // of the next token, of which a whole one has as many as the window has nanoseconds
	at     time.Time // up to when refills have been counted
}

// A refill is how buckets fill: quota tokens per window in steps, up to capacity.
type refill struct {
	quota, capacity int64
	window, step    time.Duration
}

func (r refill) full(now time.Time) bucket { return bucket{tokens: r.capacity, at: now} }

// apply returns s as it is at the time now. To come all the time is to come in
// steps of a nanosecond. After the 292 years of a time.Duration a bucket is full.
func (r refill) apply(s bucket, now time.Time) bucket {
	elapsed := max(now.Sub(s.at), 0)
	ages := elapsed == math.MaxInt64
	elapsed -= elapsed % r.step
	came, part, fits := mulAddDiv(r.quota, int64(elapsed), uint64(s.part), int64(r.window))
	if ages || !fits || came >= r.capacity-s.tokens {
		return r.full(later(now, s.at))
	}
	return bucket{tokens: s.tokens + came, part: part, at: s.at.Add(elapsed)}
}

// wait returns how long after s.at there are that many tokens more, were there
// room for them, and false for never: not in the 292 years of a time.Duration.
func (r refill) wait(s bucket, tokens int64) (time.Duration, bool) {
	switch {
	case r.quota == 0:
		return 0, false
	case tokens <= 0:
		return 0, true
	}
	// tokens × window − part, divided by quota and rounded up, then to whole steps.
	up := uint64(int64(r.window)-s.part) + uint64(r.quota-1)
	wait, _, fits := mulAddDiv(tokens-1, int64(r.window), up, r.quota)
	if !fits || wait > math.MaxInt64-int64(r.step) {
		return 0, false
	}
	wait += int64(r.step) - 1
	return time.Duration(wait - wait%int64(r.step)), true
}
