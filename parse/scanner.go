package parse

import "strings"

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

// skipPast skips everything up to and including c. It returns false if there is no c.
func (s *scanner) skipPast(c byte) bool {
	n := strings.IndexByte(s.s[s.off:], c)
	if n < 0 {
		s.off = len(s.s)
		return false
	}
	s.off += n + 1
	return true
}

// done skips white space and reports whether nothing else is left.
func (s *scanner) done() bool {
	s.skipOWS()
	return s.eof()
}
