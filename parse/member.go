package parse

// value reads a member without its parameters: an Item, or an Inner List, which
// no rate-limit field has a use for (RFC 9651 §4.2.1.1).
func (s *scanner) value(b *bare) error {
	if !s.at('(') {
		return s.bareItem(b)
	}
	*b = bare{kind: kindInnerList}
	return s.skipInnerList()
}

// count is an Integer that counts or measures something, Unknown when absent.
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

// textOf is the text of a value of kind k, "" when absent.
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

// nameOf is a String, or the Token that the drafts' appendix and some servers
// write in its place.
func (b *bare) nameOf() (string, error) {
	if b.kind == kindToken {
		return b.textOf(kindToken)
	}
	return b.textOf(kindString)
}
