package parse

import (
	"strings"
	"time"
)

// readLimit reads a -Limit field. It sets Limit, Unlimited, Policies, Used and Window, as far as
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
func (row *Row) readLimit(lines []string) (f fault) {
	if err := withinBudget(lines); err != nil {
		return fault{-1, err}
	}
	base := 0
	for _, line := range lines {
		l := limitLine{quota: Unknown, used: Unknown}
		f.note(l.read(line).inLineAt(base))
		f.note(base, l.addTo(row))
		base += len(line) + len(separator)
	}
	return f
}

// policiesOf returns the policies of a field such as -Limit; none if a part of it is malformed.
func policiesOf(lines []string) []Row {
	row := newRow()
	if row.readLimit(lines).err != nil {
		return nil
	}
	return row.Policies
}

// A limitLine is what one line of a -Limit field says.
type limitLine struct {
	quota, used int64
	window      time.Duration
	policies    []Row
	unlimited   bool
}

// read tries the grammars of a -Limit field one after the other.
func (l *limitLine) read(line string) fault {
	if n, ok := simpleNumber(line); ok {
		l.quota = n
		return fault{}
	}
	s := scanner{s: line}
	if s.done() {
		return fault{-1, ErrEmpty}
	}
	start := s.off
	dropped := l.quotas(&s)
	if s.err == nil {
		return dropped
	}
	*l = limitLine{quota: Unknown, used: Unknown}
	if s.allowsOtherGrammar() && (l.ratio(line[start:]) || l.period(line[start:])) {
		return fault{}
	}
	return s.fault
}

// quotas reads a list of numbers and policies. The first number is the quota. The numbers may have a
// fraction, as the drafts before structured fields have it.
func (l *limitLine) quotas(s *scanner) (dropped fault) {
	for n := 0; s.member(n); n++ {
		var p item
		start := s.off
		d := s.decimal()
		s.params(&p, true)
		switch {
		case d.negative && n == 0:
			l.unlimited = true
			continue
		case d.negative:
			dropped.note(start, ErrRange)
		case !p.isAbsent(atWindow):
			if l.policies == nil {
				l.policies = make([]Row, 0, min(strings.Count(s.s[start:], ",")+1, mostItems))
			}
			dropped.note(start, l.policy(&p, d))
		case n > 0 && d.whole != l.quota:
			s.failAt(start, ErrConflict)
		}
		if n == 0 {
			l.quota = d.whole
		}
	}
	return dropped
}

// policy appends a policy such as 100;w=60.
func (l *limitLine) policy(p *item, d decimal) error {
	row := newRow()
	row.Limit, row.Window, row.Name = d.whole, p.window(), p.name(atName)
	if p.err == nil && len(l.policies) < mostItems {
		l.policies = append(l.policies, row)
	}
	return p.err
}

// ratio reads 32/40, where 32 of 40 units are used, or 150/15m, which are 150 units per 15 minutes. The window
// may be a word or a unit of time too.
func (l *limitLine) ratio(text string) bool {
	s := scanner{s: text}
	first := s.magnitude()
	s.expect('/')
	if s.err != nil {
		return false
	}
	word := strings.ToLower(trim(text[s.off:]))
	if second := s.magnitude(); s.done() {
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
func (l *limitLine) period(text string) bool {
	s := scanner{s: text}
	d := s.duration()
	if s.err != nil || d <= 0 {
		return false
	}
	l.window = d
	return true
}

func (l *limitLine) isEmpty() bool {
	return l.quota == Unknown && l.window == 0 && len(l.policies) == 0 && !l.unlimited
}

// addTo adds the numbers of the line to row.
func (l *limitLine) addTo(row *Row) (conflict error) {
	if l.isEmpty() {
		return nil
	}
	isPolicy := len(l.policies) > 0 && l.policies[0].Limit == l.quota
	switch {
	case l.quota == Unknown:
	case row.Limit == Unknown:
		row.Limit = l.quota
	case row.Limit != l.quota && !isPolicy:
		row.Limit = min(row.Limit, l.quota)
		conflict = ErrConflict
	}
	row.Unlimited = (row.Unlimited || l.unlimited) && row.Limit == Unknown
	if l.used != Unknown {
		row.Used = l.used
	}
	if l.window > 0 {
		row.Window = l.window
	}
	if row.Policies == nil {
		row.Policies = l.policies // usually there is one line, so nothing is copied
	} else {
		row.Policies = append(row.Policies, l.policies...)
	}
	return conflict
}
