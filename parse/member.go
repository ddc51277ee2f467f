package parse

// value reads a member without its parameters: an Item or an Inner List (RFC 9651 §4.2.1.1). It skips the
// content of an Inner List, as no rate-limit field uses one.
func (s *scanner) value(b *bare) error {
	if !s.at('(') {
		return s.bareItem(b)
	}
	*b = bare{kind: kindInnerList}
	return s.skipInnerList()
}

// count returns a non-negative Integer; Unknown if it is absent.
func (b *bare) count() (int64, error) {
	switch {
	case b.kind == kindNone:
		return Unknown, nil
	case b.kind != kindInteger:
		return 0, ErrType
	case b.num < 0:
		return 0, ErrRange
	}
	return b.num, nil
}

// textOf returns the text of a value of kind k; "" if it is absent.
func (b *bare) textOf(k kind) (string, error) {
	switch {
	case b.kind == kindNone:
		return "", nil
	case b.kind != k:
		return "", ErrType
	case len(b.text) > MaxText:
		return "", ErrTooLong
	}
	return b.text, nil
}

// nameOf returns the text of a String. It accepts a Token too: the appendix of the drafts and some
// servers use Tokens for names.
func (b *bare) nameOf() (string, error) {
	if b.kind == kindToken {
		return b.textOf(kindToken)
	}
	return b.textOf(kindString)
}
