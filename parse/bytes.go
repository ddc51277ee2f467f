package parse

// byteSequence reads a Byte Sequence and leaves it in base64: what is in a
// partition key is the server's own business. As RFC 9651 §4.2.7 asks, missing
// padding and non-zero pad bits are accepted (the drafts' own examples have
// such bits); padding that does not fit, or stands elsewhere, is not.
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
