package validate

import (
	"math"
	"time"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/parse"
)

// The defaults of Bounds. No server means larger numbers. A wrong number within them neither stops a
// client forever nor lets it flood the server.
const (
	DefaultMaxReset = 32 * 24 * time.Hour // a month, and a day for clock skew and rounding
	DefaultMaxQuota = 1_000_000_000_000
	DefaultMaxRate  = 100_000
)

// Bounds has the greatest numbers that are taken from a server; greater ones are clamped. The zero value
// means the defaults.
type Bounds struct {
	// MaxReset is the longest time to a reset or in Retry-After. It is also the longest interval between two units of a
	// policy: a policy of 10 units may have a window of 10 times MaxReset. 0 means DefaultMaxReset, 32 days, as resets
	// after a month are real. A negative value means no bound.
	MaxReset time.Duration

	// MaxQuota is the greatest quota and the greatest remaining quota, in any unit.
	// 0 means DefaultMaxQuota, 10¹². A negative value means no bound.
	MaxQuota int64

	// MaxRate is the highest rate in requests per second. A quota is clamped to the requests that MaxRate allows in its
	// window. A remaining quota is clamped to the requests that it allows until the reset, or in the window if there is
	// no reset; the time counts as at least a second. No number is clamped to less than 1. Other units than requests are
	// not clamped. 0 and NaN mean DefaultMaxRate, 100,000. A negative value means no bound.
	MaxRate float64
}

// OrDefaults returns b with every bound positive. The default replaces 0 and NaN. The greatest value of
// the type replaces a negative bound, +Inf for MaxRate.
func (b Bounds) OrDefaults() Bounds {
	return Bounds{
		MaxReset: orDefault(b.MaxReset, DefaultMaxReset, math.MaxInt64),
		MaxQuota: orDefault(b.MaxQuota, DefaultMaxQuota, math.MaxInt64),
		MaxRate:  orDefault(b.MaxRate, DefaultMaxRate, math.Inf(1)),
	}
}

func orDefault[T time.Duration | int64 | float64](bound, usual, greatest T) T {
	switch {
	case bound > 0:
		return bound
	case bound < 0:
		return greatest
	}
	return usual // NaN too
}

// maxWindow returns the longest window of a quota, at an interval of MaxReset.
func (b *Bounds) maxWindow(quota int64) time.Duration {
	if quota > int64(math.MaxInt64/b.MaxReset) {
		return math.MaxInt64
	}
	return b.MaxReset * time.Duration(max(quota, 1))
}

// bound clamps l to the bounds. Its fields are those of from.
func (r *reader) bound(from *parse.Row, l *limits.Reported) {
	b, names := &r.bounds, &from.Names
	r.problemIf(clamp(&l.Quota, b.MaxQuota), names.Limit, TooMany)
	r.problemIf(clamp(&l.Remaining, b.MaxQuota), names.Remaining, TooMany)
	r.problemIf(clamp(&l.Reset, b.MaxReset), names.Reset, TooLong)
	if l.Quota != Unknown && l.Cost > l.Quota { // no such request is served
		l.Cost = 0
	}
	l.Cost = min(l.Cost, b.MaxQuota)
	counts := l.Unit == limits.Requests
	r.problemIf(counts && l.Reset != Unknown && b.clampRate(&l.Remaining, max(l.Reset, time.Second)), names.Remaining, TooFast)
	r.problemIf(l.Window > b.MaxReset && clamp(&l.Window, b.maxWindow(max(l.Quota, l.Remaining))), names.Limit, TooLong)
	if counts && l.Window > 0 {
		r.problemIf(b.clampRate(&l.Quota, l.Window), names.Limit, TooFast)
		r.problemIf(l.Reset == Unknown && b.clampRate(&l.Remaining, max(l.Window, time.Second)), names.Remaining, TooFast)
	}
}

// clampRate clamps n requests in d to those that MaxRate allows, at least 1.
func (b *Bounds) clampRate(n *int64, d time.Duration) (isClamped bool) {
	most := b.MaxRate * d.Seconds()
	return most < math.MaxInt64 && clamp(n, max(int64(most), 1))
}

func clamp[T int64 | time.Duration](v *T, most T) (isClamped bool) {
	isClamped = *v > most
	*v = min(*v, most)
	return isClamped
}
