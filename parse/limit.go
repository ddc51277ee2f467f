package parse

import (
	"strconv"
	"strings"
	"time"
)

// readLimit reads a -Limit field. It sets Limit, Unlimited, Used and Window, as far as the field has them, and appends the
// policies that follow the quota:
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
func (row *Row) readLimit(lines []string) (f fault) {
	if err := withinBudget(lines); err != nil {
		return fault{-1, err}
	}
	base := 0
	for _, line := range lines {
		f.note(row.readLimitLine(line).inLineAt(base))
		base += len(line) + len(separator)
	}
	row.Unlimited = row.Unlimited && row.Limit == Unknown
	return f
}

// readLimitLine tries the grammars of a -Limit field one after the other.
func (row *Row) readLimitLine(line string) fault {
	if n, ok := simpleNumber(line); ok {
		return row.setLimit(n)
	}
	s := scanner{s: line}
	if s.done() {
		return fault{-1, ErrMissing}
	}
	before, start := *row, s.off
	dropped := row.readQuotas(&s)
	if s.err == nil {
		return dropped
	}
	*row = before
	if !s.allowsOtherGrammar() {
		return s.fault
	}
	if x := readRatio(line[start:]); x.Limit != Unknown {
		row.Used, row.Window = max(row.Used, x.Used), max(row.Window, x.Window)
		return row.setLimit(x.Limit)
	}
	d := scanner{s: line[start:]}
	w := d.duration()
	if d.err != nil || w <= 0 {
		return s.fault
	}
	row.Window = w
	return fault{}
}

// setLimit sets the quota. Of several lines with a quota the smallest one counts.
func (row *Row) setLimit(n int64) (conflict fault) {
	if row.Limit != Unknown && row.Limit != n {
		n, conflict = min(n, row.Limit), fault{0, ErrConflict}
	}
	row.Limit = n
	return conflict
}

// readQuotas reads a list of numbers and policies. The first number is the quota. The numbers may have a
// fraction, as the drafts before structured fields have it.
func (row *Row) readQuotas(s *scanner) (dropped fault) {
	quota := int64(Unknown)
	for n := 0; s.member(n); n++ {
		var p item
		start := s.off
		d := s.decimal()
		s.skipOWS() // the early drafts allow white space before a parameter
		for key, value := range s.params {
			*p.at(key) = value
			s.skipOWS()
		}
		isPolicy := p.window.kind != kindNone
		switch {
		case d.negative && n == 0:
			row.Unlimited = true
			continue
		case d.negative:
			dropped.note(start, ErrRange)
		case isPolicy:
			if row.policies == nil {
				row.policies = make([]Row, 0, min(strings.Count(s.s[start:], ",")+1, mostItems))
			}
			dropped.note(start, row.addPolicy(&p, d.whole))
		case n > 0 && d.whole != quota:
			s.failAt(start, ErrConflict)
		}
		if n > 0 {
			continue
		}
		if quota = d.whole; !isPolicy || row.Limit == Unknown { // else a policy on a line of its own
			dropped.note(row.setLimit(quota).inLineAt(start))
		}
	}
	return dropped
}

// addPolicy appends a policy such as 100;w=60.
func (row *Row) addPolicy(p *item, quota int64) error {
	policy := NewRow()
	policy.IsPolicy, policy.Limit, policy.Window, policy.Name = true, quota, p.seconds(p.window, 1), p.text(p.name, kindString)
	if p.err == nil && len(row.policies) < mostItems {
		row.policies = append(row.policies, policy)
	}
	return p.err
}

// policiesOf returns the policies of a field such as -Limit; none if a part of it is malformed.
func policiesOf(lines []string) []Row {
	row := NewRow()
	if row.readLimit(lines).err != nil {
		return nil
	}
	return row.policies
}

// labelPolicies labels the policies of one list, if there are several: with their names, else with quota and window.
func labelPolicies(list []Row) {
	for i := range list {
		p := &list[i]
		switch {
		case len(list) == 1:
		case p.Name != "":
			p.Label = p.Name
		default:
			p.Label = strconv.FormatInt(p.Limit, 10)
			if p.Window != Unknown {
				p.Label += ";w=" + strconv.FormatInt(int64(p.Window/time.Second), 10)
			}
		}
	}
}

// readRatio reads 32/40, where 32 of 40 units are used, or 150/15m, which are 150 units per 15 minutes. The window
// may be a word or a unit of time too. Limit is Unknown if the text is none of these.
func readRatio(text string) Row {
	row, s := NewRow(), scanner{s: text}
	first := s.magnitude()
	s.expect('/')
	if s.err != nil {
		return row
	}
	word := text[s.off:]
	if second := s.magnitude(); s.done() {
		row.Used, row.Limit = first.whole, second.whole
		return row
	}
	if row.Window = lengthOf(word); row.Window != Unknown {
		row.Limit = first.whole
	}
	return row
}

// lengthOf returns the length of a window such as minute, 15m or m; Unknown if it is none.
func lengthOf(text string) time.Duration {
	word := strings.ToLower(trim(text))
	switch word {
	case "s", "sec", "m", "min", "h", "hr", "d":
		word = "1" + word[:1]
	}
	return windowOf(word)
}
