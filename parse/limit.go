package parse

import "time"

// Limit reads RateLimit-Limit, X-RateLimit-Limit or X-Rate-Limit-Limit. Of the
// result only Limit, Policies, Used and Window can be told:
//
//	100                        the quota
//	100, 100;w=60, 1000;w=3600 the quota and policies, as in drafts 00 to 03
//	100;w=60                   the quota and its policy
//	32/40                      what is used, and the quota
//	1m                         a window
//
// Of several lines the smallest quota counts; equal numbers in one line are
// one, other numbers are none. If nothing can be read, Present is false and all
// numbers are Unknown. The error is an *Error.
func Limit(lines []string) (Counts, error) {
	c := Counts{Limit: Unknown, Remaining: Unknown, Used: Unknown, Window: Unknown}
	f := c.readLimit(lines)
	return c, f.in("RateLimit-Limit")
}

func (c *Counts) readLimit(lines []string) (f fault) {
	if err := withinBudget(lines); err != nil {
		return fault{-1, err}
	}
	base := 0
	for _, line := range lines {
		l := limitReader{scanner: scanner{s: line}, quota: Unknown, used: Unknown}
		why := l.read()
		f.note(why.from(base))
		f.note(base, l.into(c))
		base += len(line) + len(separator)
	}
	return f
}

// A limitReader reads one line of a -Limit field.
type limitReader struct {
	scanner
	quota, used int64
	window      time.Duration
	policies    []Policy
	unlimited   bool
}

// read tries the forms of a -Limit field.
func (l *limitReader) read() fault {
	if n, ok := simpleNumber(l.s); ok {
		l.quota = n
		return fault{}
	}
	if l.done() {
		return fault{-1, ErrEmpty}
	}
	start := l.off
	dropped, err := l.quotas()
	if err == nil {
		return dropped
	}
	l.quota, l.policies, l.unlimited = Unknown, nil, false
	f := fault{l.off, err}
	if f.otherGrammar() && (l.from(start).ratio() || l.from(start).period()) {
		return fault{}
	}
	return f
}

func (l *limitReader) from(off int) *limitReader {
	l.off = off
	return l
}

// quotas reads a list of numbers and policies. The first number is the limit.
func (l *limitReader) quotas() (dropped fault, err error) {
	for n := 0; ; n++ {
		more, err := l.next(n)
		if err != nil || !more {
			return dropped, err
		}
		start := l.off
		var p earlyPolicy
		d, err := l.earlyItem(&p)
		if err != nil {
			return fault{}, err
		}
		switch {
		case d.negative && n == 0:
			l.unlimited = true
		case d.negative:
			dropped.note(start, ErrRange)
		case p.w.kind != kindNone:
			dropped.note(start, l.policy(&p, d))
		case n > 0 && d.whole != l.quota:
			l.off = start
			return fault{}, ErrConflict
		}
		if n == 0 && !d.negative {
			l.quota = d.whole
		}
	}
}

// An earlyPolicy holds the parameters of a policy in -Limit.
type earlyPolicy struct {
	w       bare // window in the very first draft
	name    bare // in Envoy
	ignored bare
}

func (p *earlyPolicy) param(key string) *bare {
	switch key {
	case "w", "window":
		return &p.w
	case "name":
		return &p.name
	}
	return &p.ignored
}

// earlyItem reads an item of the grammar from before structured fields: numbers
// as in all other separate fields, and white space before a parameter.
func (l *limitReader) earlyItem(p *earlyPolicy) (decimal, error) {
	d, err := l.decimal()
	if err != nil {
		return d, err
	}
	for n := 0; ; n++ {
		l.skipOWS()
		key, more, err := l.nextParam(n)
		if err != nil || !more {
			return d, err
		}
		if err := l.paramValue(p.param(key)); err != nil {
			return d, err
		}
	}
}

// policy keeps a policy, 100;w=60.
func (l *limitReader) policy(p *earlyPolicy, d decimal) error {
	w, err := p.w.window()
	if err != nil {
		return err
	}
	name, err := p.name.nameOf()
	if err != nil {
		return err
	}
	l.policies = append(l.policies, Policy{Name: name, Quota: d.whole, Window: w, Unit: Requests})
	return nil
}

// ratio reads 32/40: used and quota.
func (l *limitReader) ratio() bool {
	var used, quota decimal
	ok := l.magnitude(&used) == nil && l.accept('/') && l.magnitude(&quota) == nil && l.done()
	if ok {
		l.used, l.quota = used.whole, quota.whole
	}
	return ok
}

// period reads a window where servers write one for the quota.
func (l *limitReader) period() bool {
	d, err := l.duration()
	if err != nil || d <= 0 {
		return false
	}
	l.window = d
	return true
}

// into adds what the line told to c.
func (l *limitReader) into(c *Counts) (conflict error) {
	if l.quota == Unknown && l.window == 0 && len(l.policies) == 0 && !l.unlimited {
		return nil
	}
	c.told()
	isPolicy := len(l.policies) > 0 && l.policies[0].Quota == l.quota
	switch {
	case l.quota == Unknown:
	case c.Limit == Unknown:
		c.Limit = l.quota
	case c.Limit != l.quota && !isPolicy:
		c.Limit = min(c.Limit, l.quota)
		conflict = ErrConflict
	}
	c.Unlimited = (c.Unlimited || l.unlimited) && c.Limit == Unknown
	if l.used != Unknown {
		c.Used = l.used
	}
	if l.window > 0 {
		c.Window = l.window
	}
	if c.Policies == nil {
		c.Policies = l.policies // the usual single line: no copy
	} else {
		c.Policies = append(c.Policies, l.policies...)
	}
	return conflict
}
