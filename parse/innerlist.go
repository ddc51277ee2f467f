package parse

// nextInner moves to item n of an inner list, and reports whether there is one (RFC 9651 §4.2.1.2). The
// first call consumes the opening parenthesis, the last one the closing parenthesis.
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

// skipInnerList skips an inner list without its parameters. No rate-limit field uses one.
func (s *scanner) skipInnerList() error {
	var ignored bare
	for n := 0; ; n++ {
		hasNext, err := s.nextInner(n)
		if err != nil || !hasNext {
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
