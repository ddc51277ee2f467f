package meter

import (
	"math"
	"time"
)

// A Bucket is the state of one client's token bucket.
type Bucket struct {
	Tokens   int64
	fraction int64     // of the next token, in units of 1/window: a whole token has as many as the window has nanoseconds
	At       time.Time // the time up to which refills are included
}

// A Refill describes how a bucket fills: quota tokens per window, in steps, up to capacity.
type Refill struct {
	Quota, Capacity int64
	Window, Step    time.Duration
}

// Full returns a full bucket.
func (r Refill) Full(now time.Time) Bucket { return Bucket{Tokens: r.Capacity, At: now} }

// Apply returns the bucket at the time now. A continuous refill has steps of one nanosecond. After 292 years,
// the longest time.Duration, the bucket is full.
func (r Refill) Apply(s Bucket, now time.Time) Bucket {
	elapsed := max(now.Sub(s.At), 0)
	overflows := elapsed == math.MaxInt64
	elapsed -= elapsed % r.Step
	came, fraction, fits := mulAddDiv(r.Quota, int64(elapsed), uint64(s.fraction), int64(r.Window))
	if overflows || !fits || came >= r.Capacity-s.Tokens {
		return r.Full(Later(now, s.At))
	}
	return Bucket{Tokens: s.Tokens + came, fraction: fraction, At: s.At.Add(elapsed)}
}

// Wait returns the time from s.At until the bucket has that many more tokens, ignoring its capacity. It
// returns false if that takes more than 292 years, the longest time.Duration.
func (r Refill) Wait(s Bucket, tokens int64) (time.Duration, bool) {
	switch {
	case r.Quota == 0:
		return 0, false
	case tokens <= 0:
		return 0, true
	}
	// (tokens × window − fraction) / quota, rounded up, and then rounded up to whole steps.
	up := uint64(int64(r.Window)-s.fraction) + uint64(r.Quota-1)
	wait, _, fits := mulAddDiv(tokens-1, int64(r.Window), up, r.Quota)
	if !fits || wait > math.MaxInt64-int64(r.Step) {
		return 0, false
	}
	wait += int64(r.Step) - 1
	return time.Duration(wait - wait%int64(r.Step)), true
}
