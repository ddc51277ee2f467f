package parse

import (
	"strings"
	"unicode/utf8"
)

// str reads a String into b (RFC 9651 §4.2.5). A String without escapes is a substring of the value, so
// nothing is allocated.
func (s *scanner) str(b *bare) error {
	s.off++
	start := s.off
	text := s.s[start:]
	for i := range len(text) {
		c := text[i]
		if isPrintable(c) && c != '"' && c != '\\' {
			continue
		}
		s.off = start + i
		switch c {
		case '"':
			s.off++
			*b = bare{kind: kindString, text: text[:i]}
			return nil
		case '\\':
			return s.escaped(b, start)
		}
		return ErrSyntax
	}
	s.off = len(s.s)
	return ErrTruncated
}

// escaped reads the rest of a String from its first backslash. start is the offset of the String's text.
func (s *scanner) escaped(b *bare, start int) error {
	var text strings.Builder
	text.WriteString(s.s[start:s.off])
	for ; s.off < len(s.s); s.off++ {
		c := s.s[s.off]
		switch {
		case c == '"':
			s.off++
			*b = bare{kind: kindString, text: text.String()}
			return nil
		case c == '\\':
			s.off++
			if !s.at('"') && !s.at('\\') {
				return s.unexpected()
			}
			c = s.s[s.off]
		case !isPrintable(c):
			return ErrSyntax
		}
		text.WriteByte(c)
	}
	return ErrTruncated
}

// displayString reads a Display String: UTF-8 with all bytes but printable ASCII percent-encoded (RFC 9651 §4.2.10).
func (s *scanner) displayString(b *bare) error {
	s.off++
	if !s.accept('"') {
		return s.unexpected()
	}
	var text strings.Builder
	for s.off < len(s.s) {
		c := s.s[s.off]
		switch {
		case c == '"':
			if !utf8.ValidString(text.String()) {
				return ErrSyntax
			}
			s.off++
			*b = bare{kind: kindDisplay, text: text.String()}
			return nil
		case c == '%':
			var err error
			if c, err = s.percent(); err != nil {
				return err
			}
		case isPrintable(c):
			s.off++
		default:
			return ErrSyntax
		}
		text.WriteByte(c)
	}
	return ErrTruncated
}

// percent reads "%" and two lower-case hexadecimal digits.
func (s *scanner) percent() (byte, error) {
	s.off++
	var b byte
	for range 2 {
		if s.eof() {
			return 0, ErrTruncated
		}
		digit := strings.IndexByte("0123456789abcdef", s.s[s.off])
		if digit < 0 {
			return 0, ErrSyntax
		}
		b = b<<4 | byte(digit)
		s.off++
	}
	return b, nil
}
