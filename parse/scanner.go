package parse

import "strings"

// A scanner reads a field value from left to right. It keeps the first fault, which ends the value: the methods called
// after it find nothing and return zero values. So the caller looks at err once, at the end.
type scanner struct {
	s   string
	off int
	fault
}

// scan returns a scanner for the lines of a field.
func scan(lines []string) (s scanner) {
	if err := withinBudget(lines); err != nil {
		s.note(-1, err)
	} else if len(lines) == 1 {
		s.s = lines[0] // the usual case, without a copy
	} else {
		s.s = strings.Join(lines, separator)
	}
	return s
}

// fail notes an error about the next character.
func (s *scanner) fail(err error) { s.failAt(s.off, err) }

func (s *scanner) failAt(offset int, err error) {
	s.note(offset, err)
	s.s = s.s[:s.off]
}

// unexpected notes that the grammar does not allow the next character.
func (s *scanner) unexpected() {
	if s.eof() {
		s.fail(ErrTruncated)
	}
	s.fail(ErrSyntax)
}

func (s *scanner) eof() bool { return s.off >= len(s.s) }

// next returns the next character; 0, which no grammar allows, if there is none.
func (s *scanner) next() byte {
	if s.eof() {
		return 0
	}
	return s.s[s.off]
}

// accept consumes c if it comes next.
func (s *scanner) accept(c byte) bool {
	if s.next() != c {
		return false
	}
	s.off++
	return true
}

// expect consumes c, which must come next.
func (s *scanner) expect(c byte) {
	if !s.accept(c) {
		s.unexpected()
	}
}

// while consumes the characters in a class, and returns them.
func (s *scanner) while(isIn func(c byte) bool) string {
	text := s.s[s.off:]
	n := 0
	for n < len(text) && isIn(text[n]) {
		n++
	}
	s.off += n
	return text[:n]
}

func (s *scanner) skipSP() {
	for s.accept(' ') {
	}
}

// skipOWS skips optional white space (RFC 9110 §5.6.3).
func (s *scanner) skipOWS() {
	for s.off < len(s.s) && (s.s[s.off] == ' ' || s.s[s.off] == '\t') {
		s.off++
	}
}

// done skips white space and reports whether the whole value was read.
func (s *scanner) done() bool {
	s.skipOWS()
	return s.eof() && s.err == nil
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

// isPrintable reports whether c is SP or VCHAR, of which a String or Display String consists as sent (RFC 9651 §3.3.3).
func isPrintable(c byte) bool { return c-' ' < 0x7f-' ' }

// isPlain reports whether c stands for itself in a String and in a Display String.
func isPlain(c byte) bool { return isPrintable(c) && c != '"' && c != '\\' && c != '%' }

// isBase64 reports whether c is a symbol of base64 other than padding (RFC 4648 §4).
func isBase64(c byte) bool { return isAlpha(c) || isDigit(c) || c == '+' || c == '/' }

func isPadding(c byte) bool { return c == '=' }

func lower(c byte) byte {
	if c-'A' < 26 {
		return c | 0x20
	}
	return c
}
