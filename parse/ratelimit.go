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
	value, err := join(lines)
	if err != nil {
		return fault{-1, err}
	}
	s := scanner{s: value}
	dropped, err := readList(&s, out, (*member).serviceLimit)
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

// serviceLimit is the meaning of an item of RateLimit.
func (m *member) serviceLimit() (l ServiceLimit, err error) {
	l.Quota = Unknown
	if l.Name, err = m.value.nameOf(); err != nil {
		return l, err
	}
	if l.Remaining, err = m.r.count(); err != nil {
		return l, err
	}
	if l.Reset, err = m.t.count(); err != nil {
		return l, err
	}
	if l.PartitionKey, err = m.pk.textOf(kindBytes); err != nil {
		return l, err
	}
	return l, l.told()
}

// told is nil if l says anything about now.
func (l *ServiceLimit) told() error {
	if l.Remaining == Unknown && l.Reset == Unknown {
		return ErrMissing
	}
	return nil
}
