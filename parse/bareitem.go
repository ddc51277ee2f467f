package parse

// A kind is a type of RFC 9651 §3.3.
type kind uint8

const (
	kindNone kind = iota // no value at all
	kindInteger
	kindDecimal
	kindString
	kindToken
	kindBytes
	kindBoolean
	kindDate
	kindDisplay
	kindInnerList // where an item was expected
)

// A bare is a bare item: a value without its parameters.
type bare struct {
	kind kind
	num  int64  // Integer; Decimal in thousandths; Boolean as 0 or 1; Date in seconds since 1970
	text string // String and Display String unescaped; Token; Byte Sequence in base64, as sent
}

// bareItem reads any bare item; its first character tells which
// (RFC 9651 §4.2.3.1).
func (s *scanner) bareItem() (bare, error) {
	if s.eof() {
		return bare{}, ErrTruncated
	}
	switch c := s.s[s.off]; {
	case isDigit(c) || c == '-':
		return s.number()
	case c == '"':
		return s.str()
	case isAlpha(c) || c == '*':
		return s.token(), nil
	case c == ':':
		return s.byteSequence()
	case c == '?':
		return s.boolean()
	case c == '@':
		return s.date()
	case c == '%':
		return s.displayString()
	}
	return bare{}, ErrSyntax
}

// token reads a Token whose first character has been seen (RFC 9651 §4.2.6).
func (s *scanner) token() bare {
	start := s.off
	for s.off++; s.off < len(s.s) && isTokenChar(s.s[s.off]); s.off++ {
	}
	return bare{kind: kindToken, text: s.s[start:s.off]}
}

// boolean reads "?0" or "?1" (RFC 9651 §4.2.8).
func (s *scanner) boolean() (bare, error) {
	s.off++
	switch {
	case s.accept('0'):
		return bare{kind: kindBoolean}, nil
	case s.accept('1'):
		return bare{kind: kindBoolean, num: 1}, nil
	}
	return bare{}, s.unexpected()
}

// date reads "@" and an Integer (RFC 9651 §4.2.9).
func (s *scanner) date() (bare, error) {
	s.off++
	b, err := s.number()
	if err != nil {
		return bare{}, err
	}
	if b.kind != kindInteger {
		return bare{}, ErrSyntax
	}
	return bare{kind: kindDate, num: b.num}, nil
}
