package parse

// draft07 reads the dictionary of draft-ietf-httpapi-ratelimit-headers-07 §3 as one item of out:
//
//	limit=100, remaining=50, reset=5
//
// The draft asks to ignore other members and all parameters. A dictionary with none of the three members
// is not a RateLimit field.
func (s *scanner) draft07(out *List[ServiceLimit]) (dropped fault, err error) {
	var l oldLimit
	for n := 0; ; n++ {
		more, err := s.next(n)
		if err != nil {
			return fault{}, err
		}
		if !more {
			break
		}
		key, err := s.key()
		if err != nil {
			return fault{}, err
		}
		if err := s.dictValue(l.member(key)); err != nil {
			return fault{}, err
		}
	}
	if l.limit.kind == kindNone && l.remaining.kind == kindNone && l.reset.kind == kindNone {
		return fault{}, ErrMissing
	}
	if err := l.decode(out.add()); err != nil {
		out.drop()
		dropped.note(0, err)
	}
	return dropped, nil
}

// dictValue reads the value and the parameters of a member, after its key. A member without a value is
// Boolean true (RFC 9651 §4.2.2).
func (s *scanner) dictValue(b *bare) error {
	*b = bare{kind: kindBoolean, num: 1}
	if s.accept('=') {
		if err := s.value(b); err != nil {
			return err
		}
	}
	return s.skipParams()
}

// An oldLimit is a RateLimit field of draft 07.
type oldLimit struct {
	limit, remaining, reset bare
	ignored                 bare
}

func (l *oldLimit) member(key string) *bare {
	switch key {
	case "limit":
		return &l.limit
	case "remaining":
		return &l.remaining
	case "reset":
		return &l.reset
	}
	return &l.ignored
}

func (l *oldLimit) decode(out *ServiceLimit) (err error) {
	if out.Quota, err = l.limit.count(); err != nil {
		return err
	}
	if out.Remaining, err = l.remaining.count(); err != nil {
		return err
	}
	if out.Reset, err = l.reset.count(); err != nil {
		return err
	}
	return out.requireValue()
}
