package parse

// A kind is a type of RFC 9651 §3.3.
type kind uint8

const (
	kindNone kind = iota // the value is absent
	kindInteger
	kindDecimal
	kindString
	kindToken
	kindBytes
	kindBoolean
	kindDate
	kindDisplay
	kindInnerList // an inner list in the place of an item
)

// A bare is a bare item: a value without its parameters.
type bare struct {
	kind kind
	num  int64  // Integer; Decimal in thousandths; Boolean as 0 or 1; Date in seconds since 1970
	text string // Token; String and Display String, unescaped; Byte Sequence in base64, as sent
}

// bareItem reads a bare item of any type into b. The first character decides the type (RFC 9651 §4.2.3.1).
func (s *scanner) bareItem(b *bare) error {
	if s.eof() {
		return ErrTruncated
	}
	switch c := s.s[s.off]; {
	case isDigit(c) || c == '-':
		return s.number(b)
	case c == '"':
		return s.str(b)
	case isAlpha(c) || c == '*':
		s.token(b)
		return nil
	case c == ':':
		return s.byteSequence(b)
	case c == '?':
		return s.boolean(b)
	case c == '@':
		return s.date(b)
	case c == '%':
		return s.displayString(b)
	}
	return ErrSyntax
}

// token reads a Token whose first character was checked (RFC 9651 §4.2.6).
func (s *scanner) token(b *bare) {
	text := s.s[s.off:]
	n := 1
	for n < len(text) && isTokenChar(text[n]) {
		n++
	}
	s.off += n
	*b = bare{kind: kindToken, text: text[:n]}
}

// boolean reads "?0" or "?1" (RFC 9651 §4.2.8).
func (s *scanner) boolean(b *bare) error {
	s.off++
	*b = bare{kind: kindBoolean}
	if s.accept('0') {
		return nil
	}
	b.num = 1
	if s.accept('1') {
		return nil
	}
	return s.unexpected()
}

// date reads "@" and an Integer (RFC 9651 §4.2.9).
func (s *scanner) date(b *bare) error {
	s.off++
	if err := s.number(b); err != nil {
		return err
	}
	if b.kind != kindInteger {
		return ErrSyntax
	}
	b.kind = kindDate
	return nil
}
