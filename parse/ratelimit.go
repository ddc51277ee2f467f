package parse

// readRateLimit reads the list of drafts 08 and later (draft-ietf-httpapi-ratelimit-headers-10 §4), or the dictionary of
// draft 07, which becomes one item without a name.
//
// An item is left out if a parameter has the wrong type or a negative number, or if r and t are both missing. The other
// items are kept. After a syntax error the list is empty. The fault is about the first part that was left out.
func readRateLimit(lines []string, out *List[ServiceLimit]) fault {
	value, err := join(lines)
	if err != nil {
		return fault{-1, err}
	}
	s := scanner{s: value}
	dropped, err := s.serviceLimits(out)
	if err == nil {
		return dropped
	}
	*out = List[ServiceLimit]{}
	d := scanner{s: value}
	old, oldErr := d.draft07(out)
	switch {
	case oldErr == nil:
		return old
	case d.off > s.off: // report the error of the grammar that read further
		return fault{d.off, oldErr}
	}
	return fault{s.off, err}
}

// serviceLimits reads a list (RFC 9651 §4.2.1) into out, see items.
func (s *scanner) serviceLimits(out *List[ServiceLimit]) (dropped fault, err error) {
	return items(s, out, item.serviceLimit)
}

// items reads a list into out. After a syntax error out is incomplete. An item whose types or numbers the
// field does not allow is left out; dropped is about the first such item.
func items[T any](s *scanner, out *List[T], read func(item) (T, error)) (dropped fault, err error) {
	err = s.members(func(int) error {
		var x item
		start := s.off
		if err := s.item(&x); err != nil {
			return err
		}
		v, why := read(x)
		if why == nil {
			*out.add() = v
		}
		dropped.note(start, why)
		return nil
	})
	return dropped, err
}

// An item has the value of an item and the parameters that the drafts define for any field. The types are checked after
// the whole item is read: if a parameter is repeated the last one counts, whatever its type (RFC 9651 §4.2.3.2).
type item struct {
	value, r, t, q, w, qu, pk bare
	name                      bare // sent by Envoy
	ignored                   bare
}

func (s *scanner) item(x *item) error {
	if err := s.value(&x.value); err != nil {
		return err
	}
	return s.itemParams(x, false)
}

// itemParams reads parameters. The early drafts allow white space before a parameter.
func (s *scanner) itemParams(x *item, isEarly bool) error {
	for n := 0; ; n++ {
		if isEarly {
			s.skipOWS()
		}
		key, hasNext, err := s.nextParam(n)
		if err != nil || !hasNext {
			return err
		}
		if err := s.paramValue(x.param(key)); err != nil {
			return err
		}
	}
}

func (x *item) param(key string) *bare {
	switch key {
	case "r":
		return &x.r
	case "t":
		return &x.t
	case "q":
		return &x.q
	case "w", "window": // window in draft 00
		return &x.w
	case "qu":
		return &x.qu
	case "pk":
		return &x.pk
	case "name":
		return &x.name
	}
	return &x.ignored
}

// serviceLimit requires a remaining quota or a reset. A quota counts in draft 07 only, whose item has no value.
func (x item) serviceLimit() (l ServiceLimit, err error) {
	if x.value.kind != kindNone {
		x.q = bare{}
	}
	if l.Name, err = x.value.nameOf(); err != nil {
		return l, err
	}
	if l.Quota, err = x.q.count(); err != nil {
		return l, err
	}
	if l.Remaining, err = x.r.count(); err != nil {
		return l, err
	}
	if l.Reset, err = x.t.count(); err != nil {
		return l, err
	}
	if l.PartitionKey, err = x.pk.textOf(kindBytes); err == nil && l.Remaining == Unknown && l.Reset == Unknown {
		err = ErrMissing
	}
	return l, err
}

// draft07 reads the dictionary of draft-ietf-httpapi-ratelimit-headers-07 §3 as one item of out:
//
//	limit=100, remaining=50, reset=5
//
// The draft asks to ignore other members and all parameters. A dictionary with none of the three members
// is not a RateLimit field.
func (s *scanner) draft07(out *List[ServiceLimit]) (dropped fault, err error) {
	var x item
	err = s.members(func(int) error {
		key, err := s.key()
		if err != nil {
			return err
		}
		return s.dictValue(x.member(key))
	})
	if err == nil && x.q.kind == kindNone && x.r.kind == kindNone && x.t.kind == kindNone {
		err = ErrMissing
	}
	if err != nil {
		return fault{}, err
	}
	l, why := x.serviceLimit()
	if why == nil {
		*out.add() = l
	}
	dropped.note(0, why)
	return dropped, nil
}

func (x *item) member(key string) *bare {
	switch key {
	case "limit":
		return &x.q
	case "remaining":
		return &x.r
	case "reset":
		return &x.t
	}
	return &x.ignored
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

// readRateLimitPolicy reads the policies of any draft (draft-ietf-httpapi-ratelimit-headers-10 §3): with a name since
// draft 08, quotas such as 100;w=60 before it.
//
// A policy is left out if a parameter has the wrong type, if a number is out of range, or if the required
// number is missing: the quota, or the window before draft 08. The other policies are kept. After a
// syntax error the list is empty. The fault is about the first part that was left out.
func readRateLimitPolicy(lines []string, out *List[Policy]) fault {
	value, err := join(lines)
	if err != nil {
		return fault{-1, err}
	}
	s := scanner{s: value}
	dropped, err := s.policies(out)
	if err != nil {
		*out = List[Policy]{}
		return fault{s.off, err}
	}
	return dropped
}

// policies reads a list into out, see items.
func (s *scanner) policies(out *List[Policy]) (dropped fault, err error) {
	return items(s, out, item.policy)
}

// policy derives the draft from the type of the item. An Integer is a quota of drafts 04 to 07: it counts
// requests, and all parameters but w are comments. Any other item is a policy of draft 08 or later.
func (x item) policy() (p Policy, err error) {
	isQuota := x.value.kind == kindInteger
	if isQuota {
		x = item{q: x.value, w: x.w}
	}
	if p.Name, err = x.value.nameOf(); err != nil {
		return p, err
	}
	if x.q.kind == kindNone || isQuota && x.w.kind == kindNone {
		return p, ErrMissing
	}
	if p.Quota, err = x.q.count(); err != nil {
		return p, err
	}
	if p.Window, err = x.w.window(); err != nil {
		return p, err
	}
	if p.PartitionKey, err = x.pk.textOf(kindBytes); err != nil {
		return p, err
	}
	p.Unit, err = x.qu.unit()
	return p, err
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
