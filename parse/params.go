package parse

// nextParam moves to parameter n of an item or inner list, and returns its key and whether there is one
// (RFC 9651 §4.2.3.2). The caller calls paramValue before it calls nextParam again.
func (s *scanner) nextParam(n int) (key string, hasNext bool, err error) {
	if !s.at(';') {
		return "", false, nil
	}
	if n == MaxParameters {
		return "", false, ErrTooMany
	}
	s.off++
	s.skipSP()
	key, err = s.key()
	return key, err == nil, err
}

// paramValue reads the value after a key. A key without a value is Boolean true.
func (s *scanner) paramValue(b *bare) error {
	if s.accept('=') {
		return s.bareItem(b)
	}
	*b = bare{kind: kindBoolean, num: 1}
	return nil
}

// skipParams skips all parameters.
func (s *scanner) skipParams() error {
	var ignored item
	return s.itemParams(&ignored, false)
}

// key reads the name of a parameter or dictionary member (RFC 9651 §4.2.3.3).
func (s *scanner) key() (string, error) {
	text := s.s[s.off:]
	if text == "" || !isLower(text[0]) && text[0] != '*' {
		return "", s.unexpected()
	}
	n := 1
	for n < len(text) && isKeyChar(text[n]) {
		n++
	}
	s.off += n
	return text[:n], nil
}
