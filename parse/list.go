package parse

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
