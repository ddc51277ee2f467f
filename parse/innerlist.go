package parse

// nextInner moves to item n of an inner list and reports whether there is one;
// the first call consumes the opening parenthesis, the last one the closing
// (RFC 9651 §4.2.1.2).
func (s *scanner) nextInner(n int) (bool, error) {
	before := s.off
	if n == 0 {
		if !s.accept('(') {
			return false, s.unexpected()
		}
		before = -1
	}
	s.skipSP()
	if s.accept(')') {
		return false, nil
	}
	if s.eof() || s.off == before {
		return false, s.unexpected()
	}
	return true, nil
}

// skipInnerList reads an inner list, which no rate-limit field has a use for,
// without its parameters.
func (s *scanner) skipInnerList() error {
	var ignored bare
	for n := 0; ; n++ {
		more, err := s.nextInner(n)
		if err != nil || !more {
			return err
		}
		if err := s.bareItem(&ignored); err != nil {
			return err
		}
		if err := s.skipParams(); err != nil {
			return err
		}
	}
}
