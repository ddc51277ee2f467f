package parse

// The longest numbers of RFC 9651 §3.3.1 and §3.3.2.
const (
	integerDigits  = 15
	wholeDigits    = 12 // of a Decimal, before the point
	fractionDigits = 3
)

// number reads an Integer or a Decimal (RFC 9651 §4.2.4).
func (s *scanner) number() (bare, error) {
	negative := s.accept('-')
	n, digits, err := s.digits(integerDigits)
	if err != nil {
		return bare{}, err
	}
	b := bare{kind: kindInteger, num: n}
	if s.at('.') {
		if b, err = s.fraction(n, digits); err != nil {
			return bare{}, err
		}
	}
	if negative {
		b.num = -b.num
	}
	return b, nil
}

// fraction reads the point and what follows it in a Decimal.
func (s *scanner) fraction(whole int64, digits int) (bare, error) {
	if digits > wholeDigits {
		return bare{}, ErrDigits
	}
	s.off++
	f, digits, err := s.digits(fractionDigits)
	if err != nil {
		return bare{}, err
	}
	for ; digits < fractionDigits; digits++ {
		f *= 10
	}
	return bare{kind: kindDecimal, num: whole*1000 + f}, nil
}

// digits reads one to most digits, and fails when more of them follow.
func (s *scanner) digits(most int) (n int64, digits int, err error) {
	start := s.off
	for s.off < len(s.s) && isDigit(s.s[s.off]) {
		if s.off-start == most {
			return 0, 0, ErrDigits
		}
		n = n*10 + int64(s.s[s.off]-'0')
		s.off++
	}
	if s.off == start {
		return 0, 0, s.unexpected()
	}
	return n, s.off - start, nil
}
