package parse

// RateLimit reads the RateLimit field: the list of drafts 08 and later
// (draft-ietf-httpapi-ratelimit-headers-10 §4) or the dictionary of draft 07,
// which becomes one nameless item. lines are the field's lines in the order
// received.
//
// An item with a parameter of the wrong type or a negative number, or with
// neither r nor t, is left out; the others are kept. A syntax error leaves
// nothing. The error, an *Error, is about the first part left out.
func RateLimit(lines []string) (List[ServiceLimit], error) {
	var out List[ServiceLimit]
	f := readRateLimit(lines, &out)
	return out, f.in("RateLimit")
}

func readRateLimit(lines []string, out *List[ServiceLimit]) fault {
	if len(lines) == 1 {
		if name, r, t, ok := simpleItem(lines[0], 'r', 't'); ok && (r != Unknown || t != Unknown) {
			l := out.add() // field by field: a whole one would be copied
			l.Name, l.Quota, l.Remaining, l.Reset = name, Unknown, r, t
			return fault{}
		}
	}
	value, err := join(lines)
	if err != nil {
		return fault{-1, err}
	}
	s := scanner{s: value}
	dropped, err := s.serviceLimits(out)
	if err == nil {
		return dropped
	}
	d := scanner{s: value}
	old, oldErr := d.draft07(out)
	switch {
	case oldErr == nil:
		return old
	case d.off > s.off: // the grammar that got further is the one meant
		return fault{d.off, oldErr}
	}
	return fault{s.off, err}
}

// serviceLimits reads a list (RFC 9651 §4.2.1) into out: all of it or, after a
// syntax error, nothing. An item that says what the field does not allow is left
// out; dropped is about the first of these.
func (s *scanner) serviceLimits(out *List[ServiceLimit]) (dropped fault, err error) {
	for n := 0; ; n++ {
		more, err := s.next(n)
		if err == nil && !more {
			return dropped, nil
		}
		var l limitItem
		start := s.off
		if err == nil {
			err = s.limitItem(&l)
		}
		if err != nil {
			*out = List[ServiceLimit]{}
			return fault{}, err
		}
		if err := l.meaning(out.add()); err != nil {
			out.drop()
			dropped.note(start, err)
		}
	}
}

// A limitItem is an item of RateLimit with the parameters that mean something.
// Of a parameter that is repeated the last is kept, whatever its type (RFC 9651
// §4.2.3.2), so the types are looked at in the end.
type limitItem struct {
	name, r, t, pk bare
	ignored        bare
}

func (s *scanner) limitItem(l *limitItem) error {
	if err := s.value(&l.name); err != nil {
		return err
	}
	for n := 0; ; n++ {
		key, more, err := s.nextParam(n)
		if err != nil || !more {
			return err
		}
		if err := s.paramValue(l.param(key)); err != nil {
			return err
		}
	}
}

func (l *limitItem) param(key string) *bare {
	switch key {
	case "r":
		return &l.r
	case "t":
		return &l.t
	case "pk":
		return &l.pk
	}
	return &l.ignored
}

func (l *limitItem) meaning(out *ServiceLimit) (err error) {
	out.Quota = Unknown
	if out.Name, err = l.name.nameOf(); err != nil {
		return err
	}
	if out.Remaining, err = l.r.count(); err != nil {
		return err
	}
	if out.Reset, err = l.t.count(); err != nil {
		return err
	}
	if out.PartitionKey, err = l.pk.textOf(kindBytes); err != nil {
		return err
	}
	return out.told()
}

// told is nil if l says anything about now.
func (l *ServiceLimit) told() error {
	if l.Remaining == Unknown && l.Reset == Unknown {
		return ErrMissing
	}
	return nil
}
