package parse

import (
	"strings"
	"unicode/utf8"
)

// The productions of structured fields (RFC 9651 §4.2), a method each.

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

// member moves to member n of a list or a dictionary, and reports whether there is one (§4.2.1, §4.2.2). The caller
// reads the member before it calls member again.
func (s *scanner) member(n int) bool {
	if n == 0 {
		s.skipSP()
		return !s.eof()
	}
	if s.skipOWS(); s.eof() {
		return false
	}
	if s.expect(','); n == MaxMembers {
		s.fail(ErrTooMany)
	}
	if s.skipOWS(); s.eof() {
		s.unexpected()
	}
	return s.err == nil
}

// value reads a member without its parameters: an Item or an Inner List (§4.2.1.1). It skips the content of an Inner
// List, as no rate-limit field uses one.
func (s *scanner) value() bare {
	if s.next() != '(' {
		return s.bareItem()
	}
	for n := 0; s.inner(n); n++ {
		s.bareItem()
		s.skipParams()
	}
	return bare{kind: kindInnerList}
}

// inner moves to item n of an Inner List, and reports whether there is one (§4.2.1.2). The first call consumes the
// opening parenthesis, the last one the closing parenthesis.
func (s *scanner) inner(n int) bool {
	if n == 0 {
		s.expect('(')
	}
	isSeparate := s.accept(' ') || n == 0
	s.skipSP()
	if s.accept(')') {
		return false
	}
	if s.eof() || !isSeparate {
		s.unexpected()
	}
	return s.err == nil
}

// params reads parameters (§4.2.3.2). A key without a value is Boolean true.
func (s *scanner) params(yield func(key string, value bare) bool) {
	for n := 0; s.next() == ';'; n++ {
		if n == MaxParameters {
			s.fail(ErrTooMany)
			return
		}
		s.off++
		s.skipSP()
		key, value := s.key(), bare{kind: kindBoolean, num: 1}
		if s.accept('=') {
			value = s.bareItem()
		}
		if !yield(key, value) {
			return
		}
	}
}

func (s *scanner) skipParams() {
	for range s.params {
	}
}

// key reads the name of a parameter or dictionary member (§4.2.3.3).
func (s *scanner) key() string {
	if c := s.next(); !isLower(c) && c != '*' {
		s.unexpected()
	}
	return s.while(isKeyChar)
}

// bareItem reads a bare item of any type. The first character decides the type (§4.2.3.1).
func (s *scanner) bareItem() bare {
	switch c := s.next(); {
	case isDigit(c) || c == '-':
		return s.number()
	case c == '"':
		return bare{kind: kindString, text: s.quoted('\\')} // §4.2.5
	case isAlpha(c) || c == '*':
		return bare{kind: kindToken, text: s.while(isTokenChar)} // §4.2.6
	case c == ':':
		return s.byteSequence()
	case c == '?':
		return s.boolean()
	case c == '@':
		return s.date()
	case c == '%':
		return s.displayString()
	}
	s.unexpected()
	return bare{}
}

// The most digits of a number (RFC 9651 §3.3.1, §3.3.2).
const (
	integerDigits  = 15
	wholeDigits    = 12 // of a Decimal, before the point
	fractionDigits = 3
)

// number reads an Integer or a Decimal (§4.2.4).
func (s *scanner) number() bare {
	isNegative := s.accept('-')
	n, digits := s.digits(integerDigits)
	b := bare{kind: kindInteger, num: n}
	if s.next() == '.' && digits > wholeDigits {
		s.fail(ErrTooLong)
	}
	if s.accept('.') {
		fraction, digits := s.digits(fractionDigits)
		for ; digits < fractionDigits; digits++ {
			fraction *= 10
		}
		b = bare{kind: kindDecimal, num: n*1000 + fraction}
	}
	if isNegative {
		b.num = -b.num
	}
	return b
}

// digits reads at least one digit. More digits than most are an error.
func (s *scanner) digits(most int) (n int64, digits int) {
	text := s.s[s.off:]
	for digits < len(text) && digits < most && isDigit(text[digits]) {
		n = n*10 + int64(text[digits]-'0')
		digits++
	}
	s.off += digits
	if digits == 0 {
		s.unexpected()
	} else if isDigit(s.next()) {
		s.fail(ErrTooLong)
	}
	return n, digits
}

// displayString reads a Display String: UTF-8 with all bytes but printable ASCII percent-encoded (§4.2.10).
func (s *scanner) displayString() bare {
	s.off++
	text := s.quoted('%')
	if len(text) <= MaxText && !utf8.ValidString(text) {
		s.failAt(s.off-1, ErrSyntax)
	}
	return bare{kind: kindDisplay, text: text}
}

// quoted reads a text in quotes, with the escapes of a String or of a Display String. Without escapes it is a substring of
// the value, so nothing is allocated.
func (s *scanner) quoted(escape byte) string {
	s.expect('"')
	plain := s.while(isPlain)
	if s.accept('"') {
		return plain
	}
	var text strings.Builder
	for !s.accept('"') {
		c := s.next()
		if !isPrintable(c) {
			s.unexpected()
			return ""
		}
		if text.Len() == 0 {
			text.WriteString(plain)
		}
		if s.off++; c == escape {
			c = s.escaped(escape)
		}
		if text.Len() <= MaxText { // a longer one is of no use
			text.WriteByte(c)
		}
	}
	return text.String()
}

// escaped reads what stands behind a backslash or a percent sign: a quote or a backslash, or two lower-case
// hexadecimal digits.
func (s *scanner) escaped(escape byte) (c byte) {
	if escape == '\\' {
		if !s.accept('"') {
			s.expect('\\')
		}
		return s.s[s.off-1]
	}
	for range 2 {
		digit := strings.IndexByte("0123456789abcdef", s.next())
		if digit < 0 {
			s.unexpected()
			return 0
		}
		s.off++
		c = c<<4 | byte(digit)
	}
	return c
}

// byteSequence reads a Byte Sequence and keeps its base64 text: a client only compares partition keys.
// RFC 9651 §4.2.7 asks to accept missing padding and non-zero pad bits, and the drafts' examples have
// such bits. Padding of the wrong length or in the middle is an error.
func (s *scanner) byteSequence() bare {
	s.off++
	start := s.off
	symbols := len(s.while(isBase64))
	padding := len(s.while(isPadding))
	text := s.s[start:s.off]
	switch {
	case s.next() != ':':
		s.unexpected()
	case symbols%4 == 1 || padding > 0 && (symbols+padding)%4 != 0 || padding > 2:
		s.fail(ErrSyntax)
	}
	s.accept(':')
	return bare{kind: kindBytes, text: text}
}

// boolean reads "?0" or "?1" (§4.2.8).
func (s *scanner) boolean() bare {
	s.off++
	if s.accept('0') {
		return bare{kind: kindBoolean}
	}
	s.expect('1')
	return bare{kind: kindBoolean, num: 1}
}

// date reads "@" and an Integer (§4.2.9).
func (s *scanner) date() bare {
	s.off++
	b := s.number()
	if b.kind != kindInteger {
		s.fail(ErrSyntax)
	}
	b.kind = kindDate
	return b
}
