package parse

import (
	"strings"
	"time"
)

// readLimit reads a -Limit field. It sets Present, Limit, Unlimited, Policies, Used and Window, as far as
// the field has them:
//
//	100                        the quota
//	100, 100;w=60, 1000;w=3600 the quota and policies, as in drafts 00 to 03
//	100;w=60                   the quota and its policy
//	32/40                      the used units and the quota
//	150/15m, 100/minute        the quota and its window
//	1m                         a window
//
// If there are several lines, the smallest quota counts. Equal numbers on one line count as one; different numbers on
// one line are an error.
func (c *Counts) readLimit(lines []string) (f fault) {
	if err := withinBudget(lines); err != nil {
		return fault{-1, err}
	}
	base := 0
	for _, line := range lines {
		l := limitReader{scanner: scanner{s: line}, quota: Unknown, used: Unknown}
		why := l.read()
		f.note(why.inLineAt(base))
		f.note(base, l.addTo(c))
		base += len(line) + len(separator)
	}
	return f
}

// policiesOf returns the policies of a field such as -Limit; none if a part of it is malformed.
func policiesOf(lines []string) []Policy {
	var c Counts
	if c.readLimit(lines).err != nil {
		return nil
	}
	return c.Policies
}

// A limitReader reads one line of a -Limit field.
type limitReader struct {
	scanner
	quota, used int64
	window      time.Duration
	policies    []Policy
	unlimited   bool
}

// read tries the grammars of a -Limit field one after the other.
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
	if f.allowsOtherGrammar() && (l.rewind(start).ratio() || l.rewind(start).period()) {
		return fault{}
	}
	return f
}

func (l *limitReader) rewind(off int) *limitReader {
	l.off = off
	return l
}

// quotas reads a list of numbers and policies. The first number is the quota. The numbers may have a
// fraction, as the drafts before structured fields have it.
func (l *limitReader) quotas() (dropped fault, err error) {
	err = l.members(func(n int) error {
		start := l.off
		var p item
		d, err := l.decimal()
		if err == nil {
			err = l.itemParams(&p, true)
		}
		switch {
		case err != nil:
			return err
		case d.negative && n == 0:
			l.unlimited = true
			return nil
		case d.negative:
			dropped.note(start, ErrRange)
		case p.w.kind != kindNone:
			dropped.note(start, l.policy(&p, d))
		case n > 0 && d.whole != l.quota:
			l.off = start
			return ErrConflict
		}
		if n == 0 {
			l.quota = d.whole
		}
		return nil
	})
	return dropped, err
}

// policy appends a policy such as 100;w=60.
func (l *limitReader) policy(p *item, d decimal) error {
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

// ratio reads 32/40, where 32 of 40 units are used, or 150/15m, which are 150 units per 15 minutes. The window
// may be a word or a unit of time too.
func (l *limitReader) ratio() bool {
	var first, second decimal
	if l.magnitude(&first) != nil || !l.accept('/') {
		return false
	}
	word := strings.ToLower(trim(l.s[l.off:]))
	if l.magnitude(&second) == nil && l.done() {
		l.used, l.quota = first.whole, second.whole
		return true
	}
	switch word {
	case "s", "sec", "m", "min", "h", "hr", "d":
		word = "1" + word[:1]
	}
	w := windowOf(word)
	if w == Unknown {
		return false
	}
	l.quota, l.window = first.whole, w
	return true
}

// period reads a duration such as 1m, which some servers send instead of the quota.
func (l *limitReader) period() bool {
	d, err := l.duration()
	if err != nil || d <= 0 {
		return false
	}
	l.window = d
	return true
}

func (l *limitReader) isEmpty() bool {
	return l.quota == Unknown && l.window == 0 && len(l.policies) == 0 && !l.unlimited
}

// addTo adds the numbers of the line to c.
func (l *limitReader) addTo(c *Counts) (conflict error) {
	if l.isEmpty() {
		return nil
	}
	c.setPresent()
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
		c.Policies = l.policies // usually there is one line, so nothing is copied
	} else {
		c.Policies = append(c.Policies, l.policies...)
	}
	return conflict
}
