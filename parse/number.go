package parse

// The most digits of a number (RFC 9651 §3.3.1, §3.3.2).
const (
	integerDigits  = 15
	wholeDigits    = 12 // of a Decimal, before the point
	fractionDigits = 3
)

// number reads an Integer or a Decimal (RFC 9651 §4.2.4).
func (s *scanner) number(b *bare) error {
	negative := s.accept('-')
	n, digits, err := s.digits(integerDigits)
	if err != nil {
		return err
	}
	*b = bare{kind: kindInteger, num: n}
	if s.at('.') {
		if err := s.fraction(b, digits); err != nil {
			return err
		}
	}
	if negative {
		b.num = -b.num
	}
	return nil
}

// fraction reads the rest of a Decimal from its point. b has the digits before the point, and digits is
// their number.
func (s *scanner) fraction(b *bare, digits int) error {
	if digits > wholeDigits {
		return ErrDigits
	}
	s.off++
	n, digits, err := s.digits(fractionDigits)
	if err != nil {
		return err
	}
	for ; digits < fractionDigits; digits++ {
		n *= 10
	}
	*b = bare{kind: kindDecimal, num: b.num*1000 + n}
	return nil
}

// digits reads at least one digit. More digits than most are an error.
func (s *scanner) digits(most int) (n int64, digits int, err error) {
	text := s.s[s.off:]
	for digits < len(text) && isDigit(text[digits]) {
		if digits == most {
			s.off += digits
			return 0, 0, ErrDigits
		}
		n = n*10 + int64(text[digits]-'0')
		digits++
	}
	s.off += digits
	if digits == 0 {
		return 0, 0, s.unexpected()
	}
	return n, digits, nil
}
