package parse

// A member is one member of a field: its value, and those of its parameters
// that any rate-limit field knows. All others are read and ignored.
type member struct {
	value  bare
	q, w   bare // policies
	qu     bare
	r, t   bare // service limits
	pk     bare // both
	window bare // w's first name
	name   bare // Envoy's policies
}

// item reads an Item or an Inner List (RFC 9651 §4.2.1.1) into m.
func (s *scanner) item(m *member) error {
	if err := s.itemValue(m); err != nil {
		return err
	}
	for n := 0; ; n++ {
		key, value, ok, err := s.param(n)
		if err != nil || !ok {
			return err
		}
		m.set(key, value)
	}
}

func (s *scanner) itemValue(m *member) (err error) {
	if s.at('(') {
		m.value = bare{kind: kindInnerList}
		return s.skipInnerList()
	}
	m.value, err = s.bareItem()
	return err
}

// set keeps a parameter. Of one that is repeated the last is kept, whatever its
// type (RFC 9651 §4.2.3.2), so types are looked at only in the end.
func (m *member) set(key string, value bare) {
	switch key {
	case "r":
		m.r = value
	case "t":
		m.t = value
	case "q":
		m.q = value
	case "w":
		m.w = value
	case "qu":
		m.qu = value
	case "pk":
		m.pk = value
	case "window":
		m.window = value
	case "name":
		m.name = value
	}
}

// count is an Integer that counts or measures something, Unknown when absent.
func (b bare) count() (int64, error) {
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
func (b bare) textOf(k kind) (string, error) {
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
func (b bare) nameOf() (string, error) {
	if b.kind == kindToken {
		return b.textOf(kindToken)
	}
	return b.textOf(kindString)
}
