package pacer

import "math"

// share estimates which part of a limit's use is this client's own.
type share struct{ own, total float64 }

func (s *share) value() float64 {
	if s.total <= 0 {
		return 1
	}
	return min(1, max(0.01, math.Pow(s.own/s.total, 0.9)))
}

func (s *share) observe(own, fall, quota int64) {
	n := float64(max(own, 0))
	s.own += n
	s.total += max(n, float64(fall))
	if most := max(10, float64(quota)); s.total > most {
		s.own *= most / s.total
		s.total = most
	}
}

func (s *share) refused() { s.total /= 0.7 }
