package parse

// RateLimit reads the RateLimit field: the list of drafts 08 and later
// (draft-ietf-httpapi-ratelimit-headers-10 §4), or the dictionary of draft 07, which becomes one item
// without a name. lines are the field's lines in the order received.
//
// An item is left out if a parameter has the wrong type or a negative number, or if r and t are both
// missing. The other items are kept. After a syntax error the list is empty. The error is an *Error about
// the first part that was left out.
func RateLimit(lines []string) (List[ServiceLimit], error) {
	var out List[ServiceLimit]
	f := readRateLimit(lines, &out)
	return out, f.asError("RateLimit")
}

func readRateLimit(lines []string, out *List[ServiceLimit]) fault {
	if len(lines) == 1 {
		if name, r, t, ok := simpleItem(lines[0], 'r', 't'); ok && (r != Unknown || t != Unknown) {
			l := out.add() // assigned field by field: a composite literal would be copied
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
	case d.off > s.off: // report the error of the grammar that read further
		return fault{d.off, oldErr}
	}
	return fault{s.off, err}
}

// serviceLimits reads a list (RFC 9651 §4.2.1) into out. After a syntax error out is empty. An item whose
// types or numbers the field does not allow is left out; dropped is about the first such item.
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
		if err := l.decode(out.add()); err != nil {
			out.drop()
			dropped.note(start, err)
		}
	}
}

// A limitItem is an item of RateLimit with the parameters that the draft defines. The types are checked
// after the whole item is read: if a parameter is repeated the last one counts, whatever its type (RFC
// 9651 §4.2.3.2).
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

func (l *limitItem) decode(out *ServiceLimit) (err error) {
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
	return out.requireValue()
}

// requireValue returns ErrMissing if l has neither a remaining quota nor a reset.
func (l *ServiceLimit) requireValue() error {
	if l.Remaining == Unknown && l.Reset == Unknown {
		return ErrMissing
	}
	return nil
}
