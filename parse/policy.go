package parse

// RateLimitPolicy reads the RateLimit-Policy field of any draft (draft-ietf-httpapi-ratelimit-headers-10
// §3): policies with a name since draft 08, quotas such as 100;w=60 before it. lines are the field's
// lines in the order received.
//
// A policy is left out if a parameter has the wrong type, if a number is out of range, or if the required
// number is missing: the quota, or the window before draft 08. The other policies are kept. After a
// syntax error the list is empty. The error is an *Error about the first part that was left out.
func RateLimitPolicy(lines []string) (List[Policy], error) {
	var out List[Policy]
	f := readRateLimitPolicy(lines, &out)
	return out, f.asError("RateLimit-Policy")
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

// policies reads a list into out in the way of serviceLimits.
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
		if err := p.decode(out.add()); err != nil {
			out.drop()
			dropped.note(start, err)
		}
	}
}

// A policyItem is an item of RateLimit-Policy with the parameters that the draft defines.
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

// decode derives the draft from the type of the item. An Integer is a quota of drafts 04 to 07: it counts
// requests, and all parameters but w are comments. Any other item is a policy of draft 08 or later.
func (p *policyItem) decode(out *Policy) (err error) {
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

// window returns a number of seconds. The drafts exclude 0.
func (b *bare) window() (int64, error) {
	w, err := b.count()
	if err == nil && w == 0 {
		return 0, ErrRange
	}
	return w, err
}

// unit returns a quota unit. The registry table of the drafts has "request" where the text has
// "requests"; both are Requests.
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
