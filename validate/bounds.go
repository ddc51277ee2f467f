package validate

import (
	"math"
	"time"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/parse"
)

// The defaults of Bounds: far beyond what servers mean, and near enough that a
// wrong number neither stops a client for good nor makes it flood.
const (
	DefaultMaxReset = 32 * 24 * time.Hour // a month, and a day for clocks and rounding
	DefaultMaxQuota = 1_000_000_000_000
	DefaultMaxRate  = 100_000
)

// Bounds says how far a server is believed. The zero value holds the defaults.
type Bounds struct {
	// MaxReset is the longest time that a reset or Retry-After may be away, and
	// the longest interval between two units that a policy may ask for; a policy
	// may have a longer window if its quota is greater than 1. 0 means
	// DefaultMaxReset, 32 days, because resets after a month are real; negative
	// means no bound.
	MaxReset time.Duration

	// MaxQuota is the greatest quota and the most units remaining, in any unit.
	// 0 means DefaultMaxQuota, 10¹²; negative means no bound.
	MaxQuota int64

	// MaxRate is the greatest number of requests per second: neither a quota
	// over its window nor the units remaining over the time to the reset (at
	// least a second; without a reset, over the window) may allow more. The
	// least they are clamped to is 1. Other quota units than requests are not
	// bound by it. 0 and NaN mean DefaultMaxRate, 100,000; negative means no
	// bound.
	MaxRate float64
}

// OrDefaults returns b with every bound a positive number: the defaults in place
// of 0, and the greatest there is, for MaxRate +Inf, where there is no bound.
func (b Bounds) OrDefaults() Bounds {
	switch {
	case b.MaxReset == 0:
		b.MaxReset = DefaultMaxReset
	case b.MaxReset < 0:
		b.MaxReset = math.MaxInt64
	}
	switch {
	case b.MaxQuota == 0:
		b.MaxQuota = DefaultMaxQuota
	case b.MaxQuota < 0:
		b.MaxQuota = math.MaxInt64
	}
	switch {
	case b.MaxRate < 0:
		b.MaxRate = math.Inf(1)
	case !(b.MaxRate > 0): // NaN too
		b.MaxRate = DefaultMaxRate
	}
	return b
}

// most returns how many requests MaxRate allows in d, at least 1.
func (b *Bounds) most(d time.Duration) int64 {
	n := b.MaxRate * d.Seconds()
	if n >= math.MaxInt64 {
		return math.MaxInt64
	}
	return max(int64(n), 1)
}

// widest returns the longest window of a quota: one that asks for intervals of
// MaxReset.
func (b *Bounds) widest(quota int64) time.Duration {
	if quota > int64(math.MaxInt64/b.MaxReset) {
		return math.MaxInt64
	}
	return b.MaxReset * time.Duration(max(quota, 1))
}

// bound clamps l to the bounds.
func (r *reader) bound(from *source, l *limits.Told) {
	b := &r.bounds
	if clamp(&l.Quota, b.MaxQuota) {
		r.problem(from.names().Limit, TooMany)
	}
	if clamp(&l.Remaining, b.MaxQuota) {
		r.problem(from.names().Remaining, TooMany)
	}
	if clamp(&l.Reset, b.MaxReset) {
		r.problem(from.names().Reset, TooLong)
	}
	counts := l.Unit == parse.Requests
	if counts && l.Reset != Unknown && b.slow(&l.Remaining, max(l.Reset, time.Second)) {
		r.problem(from.names().Remaining, TooFast)
	}
	if l.Window > b.MaxReset && clamp(&l.Window, b.widest(max(l.Quota, l.Remaining))) {
		r.problem(from.names().Limit, TooLong)
	}
	if !counts || l.Window <= 0 {
		return
	}
	if b.slow(&l.Quota, l.Window) {
		r.problem(from.names().Limit, TooFast)
	}
	if l.Reset == Unknown && b.slow(&l.Remaining, max(l.Window, time.Second)) {
		r.problem(from.names().Remaining, TooFast)
	}
}

// slow clamps n requests in d to MaxRate. That fewer than MaxRate are below it in a second or more is
// seen without a division.
func (b *Bounds) slow(n *int64, d time.Duration) (isClamped bool) {
	return (d < time.Second || float64(*n) > b.MaxRate) && clamp(n, b.most(d))
}

func clamp[T int64 | time.Duration](v *T, most T) (isClamped bool) {
	isClamped = *v > most
	*v = min(*v, most)
	return isClamped
}
