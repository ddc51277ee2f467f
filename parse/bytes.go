package parse

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
