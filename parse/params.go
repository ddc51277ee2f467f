package parse

// param reads parameter n of an item or inner list and reports whether there is
// one. A key without a value is Boolean true (RFC 9651 §4.2.3.2).
func (s *scanner) param(n int) (key string, value bare, ok bool, err error) {
	if !s.accept(';') {
		return "", bare{}, false, nil
	}
	if n == MaxParameters {
		return "", bare{}, false, ErrTooMany
	}
	s.skipSP()
	if key, err = s.key(); err != nil {
		return "", bare{}, false, err
	}
	value = bare{kind: kindBoolean, num: 1}
	if s.accept('=') {
		if value, err = s.bareItem(); err != nil {
			return "", bare{}, false, err
		}
	}
	return key, value, true, nil
}

func (s *scanner) skipParams() error {
	for n := 0; ; n++ {
		_, _, ok, err := s.param(n)
		if err != nil || !ok {
			return err
		}
	}
}

// key reads the name of a parameter or dictionary member (RFC 9651 §4.2.3.3).
func (s *scanner) key() (string, error) {
	if s.eof() || !isLower(s.s[s.off]) && s.s[s.off] != '*' {
		return "", s.unexpected()
	}
	start := s.off
	for s.off++; s.off < len(s.s) && isKeyChar(s.s[s.off]); s.off++ {
	}
	return s.s[start:s.off], nil
}
