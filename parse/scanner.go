package parse

// A scanner reads a field value from left to right, with a method for each production of RFC 9651. A
// method that fails leaves off at the character that it could not read.
type scanner struct {
	s   string
	off int
}

func (s *scanner) eof() bool { return s.off >= len(s.s) }

// at reports whether c comes next.
func (s *scanner) at(c byte) bool { return s.off < len(s.s) && s.s[s.off] == c }

// accept consumes c if it comes next.
func (s *scanner) accept(c byte) bool {
	if !s.at(c) {
		return false
	}
	s.off++
	return true
}

// unexpected returns the error for the character at off.
func (s *scanner) unexpected() error {
	if s.eof() {
		return ErrTruncated
	}
	return ErrSyntax
}

func (s *scanner) skipSP() {
	for s.at(' ') {
		s.off++
	}
}

// skipOWS skips optional white space (RFC 9110 §5.6.3).
func (s *scanner) skipOWS() {
	for s.at(' ') || s.at('\t') {
		s.off++
	}
}

// done skips white space and reports whether nothing else is left.
func (s *scanner) done() bool {
	s.skipOWS()
	return s.eof()
}

// next moves to member n of a list or a dictionary, and reports whether there is one (RFC 9651 §4.2.1,
// §4.2.2). The caller reads the member before it calls next again.
func (s *scanner) next(n int) (bool, error) {
	if n == 0 {
		s.skipSP()
		return !s.eof(), nil
	}
	s.skipOWS()
	if s.eof() {
		return false, nil
	}
	if !s.accept(',') {
		return false, ErrSyntax
	}
	if n == MaxMembers {
		return false, ErrTooMany
	}
	s.skipOWS()
	if s.eof() {
		return false, ErrTruncated
	}
	return true, nil
}

// members calls read for each member of a list or a dictionary, with its number. It stops at an error.
func (s *scanner) members(read func(n int) error) error {
	for n := 0; ; n++ {
		hasNext, err := s.next(n)
		if err != nil || !hasNext {
			return err
		}
		if err := read(n); err != nil {
			return err
		}
	}
}

func isDigit(c byte) bool { return c-'0' < 10 }

func isLower(c byte) bool { return c-'a' < 26 }

func isAlpha(c byte) bool { return c|0x20-'a' < 26 }

// isKeyChar reports whether c is lcalpha, DIGIT, "_", "-", "." or "*" (RFC 9651 §3.1.2).
func isKeyChar(c byte) bool {
	return isLower(c) || isDigit(c) || c == '_' || c == '-' || c == '.' || c == '*'
}

// isTokenChar reports whether c is tchar, ":" or "/" (RFC 9651 §3.3.4, RFC 9110 §5.6.2).
func isTokenChar(c byte) bool {
	if isAlpha(c) || isDigit(c) {
		return true
	}
	switch c {
	case '!', '#', '$', '%', '&', '\'', '*', '+', '-', '.', '^', '_', '`', '|', '~', ':', '/':
		return true
	}
	return false
}

// isPrintable reports whether c is SP or VCHAR: the characters that a String or Display String may hold
// unescaped (RFC 9651 §3.3.3).
func isPrintable(c byte) bool { return c-' ' < 0x7f-' ' }

// isBase64 reports whether c is a symbol of base64 other than padding (RFC 4648 §4).
func isBase64(c byte) bool { return isAlpha(c) || isDigit(c) || c == '+' || c == '/' }

func lower(c byte) byte {
	if c-'A' < 26 {
		return c | 0x20
	}
	return c
}

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

// fraction reads the rest of a Decimal from its point. b has the digits before the point, and digits is their number.
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

// byteSequence reads a Byte Sequence and keeps its base64 text: a client only compares partition keys.
// RFC 9651 §4.2.7 asks to accept missing padding and non-zero pad bits, and the drafts' examples have
// such bits. Padding of the wrong length or in the middle is an error.
func (s *scanner) byteSequence(b *bare) error {
	s.off++
	start := s.off
	for s.off < len(s.s) && isBase64(s.s[s.off]) {
		s.off++
	}
	symbols := s.off - start
	for s.accept('=') {
	}
	padding := s.off - start - symbols
	if !s.at(':') {
		return s.unexpected()
	}
	if symbols%4 == 1 || padding > 0 && (symbols+padding)%4 != 0 || padding > 2 {
		return ErrSyntax
	}
	s.off++
	*b = bare{kind: kindBytes, text: s.s[start : s.off-1]}
	return nil
}
