package parse

// draft07 reads the dictionary of draft-ietf-httpapi-ratelimit-headers-07 §3,
//
//	limit=100, remaining=50, reset=5
//
// as one item of out. Other members and all parameters are ignored, as the
// draft demands. A dictionary with none of the three is not a RateLimit field.
func (s *scanner) draft07(out *List[ServiceLimit]) (dropped fault, err error) {
	var limit, remaining, reset bare
	for n := 0; ; n++ {
		more, err := s.next(n)
		if err != nil {
			return fault{}, err
		}
		if !more {
			break
		}
		key, value, err := s.dictMember()
		if err != nil {
			return fault{}, err
		}
		switch key {
		case "limit":
			limit = value
		case "remaining":
			remaining = value
		case "reset":
			reset = value
		}
	}
	if limit.kind == kindNone && remaining.kind == kindNone && reset.kind == kindNone {
		return fault{}, ErrSyntax
	}
	l, err := draft07Limit(limit, remaining, reset)
	if err != nil {
		return fault{0, err}, nil
	}
	out.add(l)
	return fault{}, nil
}

// dictMember reads a dictionary's member up to the comma (RFC 9651 §4.2.2). A
// key without a value is Boolean true, and may have parameters.
func (s *scanner) dictMember() (key string, value bare, err error) {
	if key, err = s.key(); err != nil {
		return "", bare{}, err
	}
	m := member{value: bare{kind: kindBoolean, num: 1}}
	if s.accept('=') {
		err = s.item(&m)
	} else {
		err = s.skipParams()
	}
	return key, m.value, err
}

func draft07Limit(limit, remaining, reset bare) (l ServiceLimit, err error) {
	if l.Quota, err = limit.count(); err != nil {
		return l, err
	}
	if l.Remaining, err = remaining.count(); err != nil {
		return l, err
	}
	if l.Reset, err = reset.count(); err != nil {
		return l, err
	}
	return l, l.told()
}
