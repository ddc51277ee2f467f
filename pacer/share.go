package pacer

import "math"

const (
	shareExponent = 0.9  // a little more than what was measured, so that shares grow towards what is free
	shareLeast    = 0.01 // of a quota that a hundred others seem to use as well
	refusalShare  = 0.7  // what a refusal says of a share that was thought right
	memoryLeast   = 10   // units that evidence reaches back, at least
)

// share estimates which part of a window's use is this client's own, from how
// much faster the remaining quota falls than its own requests explain.
type share struct {
	own, total float32 // units, fading
}

// value is the share in [shareLeast, 1]; 1 while nothing speaks against it.
func (s *share) value() float64 { return s.raised(shareExponent) }

// measured is the share without what it is to grow by.
func (s *share) measured() float64 { return s.raised(1) }

// raised is the share that was measured raised to a power: the less, the more it is
// to grow.
func (s *share) raised(exponent float64) float64 {
	if s.total <= 0 || s.own >= 0.999*s.total {
		return 1
	}
	return max(shareLeast, math.Pow(float64(s.own/s.total), exponent))
}

// observe takes in that the quota fell by fall while own units of this client's
// own were spent. Units that came back do not count as use: the share would feed
// on itself and slow a lone client for ever.
func (s *share) observe(own, fall, quota int64) {
	n := float32(max(own, 0))
	s.own += n
	s.total += max(n, float32(fall))
	if most := float32(max(memoryLeast, quota)); s.total > most {
		s.own *= most / s.total
		s.total = most
	}
}

// refused takes in that the quota was used up sooner than expected.
func (s *share) refused() { s.total /= refusalShare }
