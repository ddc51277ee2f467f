package parse

// RateLimitPolicy reads the RateLimit-Policy field of any draft
// (draft-ietf-httpapi-ratelimit-headers-10 §3): named policies since draft 08,
// before it quotas such as 100;w=60. lines are the field's lines in the order
// received.
//
// A policy with a parameter of the wrong type or a number out of range, or
// without the quota (before draft 08: the window) that the drafts require, is
// left out; the others are kept. A syntax error leaves nothing. The error, an
// *Error, is about the first part left out.
func RateLimitPolicy(lines []string) (List[Policy], error) {
	var out List[Policy]
	f := readRateLimitPolicy(lines, &out)
	return out, f.in("RateLimit-Policy")
}

func readRateLimitPolicy(lines []string, out *List[Policy]) fault {
	value, err := join(lines)
	if err != nil {
		return fault{-1, err}
	}
	s := scanner{s: value}
	dropped, err := readList(&s, out, (*member).policy)
	if err != nil {
		return fault{s.off, err}
	}
	return dropped
}

// policy is the meaning of an item of RateLimit-Policy. An Integer is a policy
// of drafts 04 to 07.
func (m *member) policy() (Policy, error) {
	if m.value.kind == kindInteger || m.value.kind == kindDecimal {
		return m.quotaPolicy()
	}
	return m.namedPolicy()
}

func (m *member) namedPolicy() (p Policy, err error) {
	if p.Name, err = m.value.nameOf(); err != nil {
		return p, err
	}
	if p.Quota, err = m.q.count(); err != nil {
		return p, err
	}
	if p.Quota == Unknown {
		return p, ErrMissing
	}
	if p.Window, err = m.w.window(); err != nil {
		return p, err
	}
	if p.PartitionKey, err = m.pk.textOf(kindBytes); err != nil {
		return p, err
	}
	p.Unit, err = m.qu.unit()
	return p, err
}

// quotaPolicy is the meaning of 100;w=60. The very first draft wrote window for
// w, and Envoy adds a name.
func (m *member) quotaPolicy() (p Policy, err error) {
	p.Unit = Requests
	if p.Quota, err = m.value.count(); err != nil {
		return p, err
	}
	w := m.w
	if w.kind == kindNone {
		w = m.window
	}
	if p.Window, err = w.window(); err != nil {
		return p, err
	}
	if p.Window == Unknown {
		return p, ErrMissing
	}
	p.Name, err = m.name.nameOf()
	return p, err
}

// window is a count of seconds; the drafts exclude 0.
func (b bare) window() (int64, error) {
	w, err := b.count()
	if err == nil && w == 0 {
		return 0, ErrRange
	}
	return w, err
}

// unit is a quota unit. The drafts' registry table writes request for the
// requests of their text.
func (b bare) unit() (Unit, error) {
	text, err := b.textOf(kindString)
	switch {
	case err != nil:
		return "", err
	case b.kind == kindNone, text == "request":
		return Requests, nil
	case text == "":
		return "", ErrEmpty
	}
	return Unit(text), nil
}
