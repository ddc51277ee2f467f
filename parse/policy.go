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
	if len(lines) == 1 {
		if name, q, w, ok := simpleItem(lines[0], 'q', 'w'); ok && q != Unknown && w != 0 {
			p := out.add()
			p.Name, p.Quota, p.Window, p.Unit = name, q, w, Requests
			return fault{}
		}
	}
	value, err := join(lines)
	if err != nil {
		return fault{-1, err}
	}
	s := scanner{s: value}
	dropped, err := s.policies(out)
	if err != nil {
		return fault{s.off, err}
	}
	return dropped
}

// policies reads a list as serviceLimits does.
func (s *scanner) policies(out *List[Policy]) (dropped fault, err error) {
	for n := 0; ; n++ {
		more, err := s.next(n)
		if err == nil && !more {
			return dropped, nil
		}
		var p policyItem
		start := s.off
		if err == nil {
			err = s.policyItem(&p)
		}
		if err != nil {
			*out = List[Policy]{}
			return fault{}, err
		}
		if err := p.meaning(out.add()); err != nil {
			out.drop()
			dropped.note(start, err)
		}
	}
}

// A policyItem is an item of RateLimit-Policy with the parameters that mean
// something.
type policyItem struct {
	value, q, w, qu, pk bare
	ignored             bare
}

func (s *scanner) policyItem(p *policyItem) error {
	if err := s.value(&p.value); err != nil {
		return err
	}
	for n := 0; ; n++ {
		key, more, err := s.nextParam(n)
		if err != nil || !more {
			return err
		}
		if err := s.paramValue(p.param(key)); err != nil {
			return err
		}
	}
}

func (p *policyItem) param(key string) *bare {
	switch key {
	case "q":
		return &p.q
	case "w":
		return &p.w
	case "qu":
		return &p.qu
	case "pk":
		return &p.pk
	}
	return &p.ignored
}

// meaning tells by the item's type which draft it is of: an Integer is the quota
// of drafts 04 to 07, in requests per window; all other parameters are comments
// there.
func (p *policyItem) meaning(out *Policy) (err error) {
	if p.value.kind == kindInteger {
		p.q, p.value = p.value, bare{kind: kindString}
		p.qu, p.pk = bare{}, bare{}
		if p.w.kind == kindNone {
			return ErrMissing
		}
	}
	if out.Name, err = p.value.nameOf(); err != nil {
		return err
	}
	if p.q.kind == kindNone {
		return ErrMissing
	}
	if out.Quota, err = p.q.count(); err != nil {
		return err
	}
	if out.Window, err = p.w.window(); err != nil {
		return err
	}
	if out.PartitionKey, err = p.pk.textOf(kindBytes); err != nil {
		return err
	}
	out.Unit, err = p.qu.unit()
	return err
}

// window is a count of seconds; the drafts exclude 0.
func (b *bare) window() (int64, error) {
	w, err := b.count()
	if err == nil && w == 0 {
		return 0, ErrRange
	}
	return w, err
}

// unit is a quota unit. The drafts' registry table writes request for the
// requests of their text.
func (b *bare) unit() (Unit, error) {
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
