package parse

import (
	"strconv"
	"strings"
	"time"
)

// readListing reads fields of which one tells several parts of a limit, or several
// limits. A fault drops the whole field.
func (f *Fields) readListing(fields []found) {
	x := &fields[0]
	if x.part == partHits || x.part == partHitsState {
		f.readHits(fields)
		return
	}
	before := len(f.Others)
	value, err := join(x.lines)
	why := fault{-1, err}
	switch {
	case err != nil:
	case x.part == partQuotas:
		why = f.readQuotas(fields[:1], value)
	default:
		why = f.readUsages(fields[:1], value)
	}
	if why.err != nil {
		f.Others = f.Others[:before]
		f.note(x, why)
	}
}

// readUsages reads Salesforce's list of what is used of which quota,
//
//	api-usage=18/5000; per-app-api-usage=17/250(appName=sample)
func (f *Fields) readUsages(fields []found, value string) fault {
	s := scanner{s: strings.ReplaceAll(value, ";", ",")}
	for n := 0; ; n++ {
		more, err := s.next(n)
		if err != nil {
			return fault{s.off, err}
		}
		if !more {
			return fault{}
		}
		key, err := s.key()
		if err == nil && !s.accept('=') {
			err = s.unexpected()
		}
		if err != nil {
			return fault{s.off, err}
		}
		var used, quota decimal
		if s.magnitude(&used) != nil || !s.accept('/') || s.magnitude(&quota) != nil {
			return fault{s.off, ErrNumber}
		}
		if s.at('(') {
			s.until(')')
		}
		l := Named{Names: namesOf(fields)}
		l.told()
		l.Limit, l.Used = quota.whole, used.whole
		f.add(&l, key, key)
	}
}

// until skips everything up to c, and c.
func (s *scanner) until(c byte) {
	for !s.eof() && !s.accept(c) {
		s.off++
	}
}

// readQuotas reads a list of assignments, Auth0's and Zendesk's:
//
//	b=per_hour;q=100;r=90;t=3600,b=per_day;q=1000;r=990;t=86400
//	per_hour;q=100;r=90;t=3600
//	total=100; remaining=99; resets=41
func (f *Fields) readQuotas(fields []found, value string) fault {
	s := scanner{s: value}
	for n := 0; ; n++ {
		more, err := s.next(n)
		if err != nil {
			return fault{s.off, err}
		}
		if !more {
			return fault{}
		}
		l := Named{Names: namesOf(fields)}
		l.told()
		bucket, err := s.assignments(&l.Counts)
		if err != nil {
			return fault{s.off, err}
		}
		label := fields[0].label
		if bucket != "" {
			label += " " + strings.ToLower(bucket)
		}
		f.add(&l, label, label)
	}
}

// assignments reads the numbers of one limit, and its name if it has one.
func (s *scanner) assignments(c *Counts) (bucket string, err error) {
	for n := 0; ; n++ {
		if n == MaxParameters {
			return "", ErrTooMany
		}
		key, err := s.key()
		if err != nil {
			return "", err
		}
		switch isAssigned := s.accept('='); {
		case !isAssigned && n == 0:
			bucket = key
		case !isAssigned:
			return "", s.unexpected()
		case key == "b":
			bucket = s.name()
		default:
			if err := s.assign(c, key); err != nil {
				return "", err
			}
		}
		s.skipOWS()
		if !s.accept(';') {
			return bucket, nil
		}
		s.skipOWS()
	}
}

// assign reads one number.
func (s *scanner) assign(c *Counts, key string) error {
	d, err := s.decimal()
	if err != nil {
		return err
	}
	switch key {
	case "q", "total", "limit":
		if d.negative {
			return ErrRange
		}
		c.Limit = d.whole
	case "r", "remaining":
		c.Remaining, c.HasRemaining = d.floor(), true
	case "t", "resets", "reset":
		c.ResetAfter = after(d.of(time.Second))
	}
	return nil
}

// name reads letters, digits, hyphens and underscores.
func (s *scanner) name() string {
	start := s.off
	for s.off < len(s.s) && (isAlpha(s.s[s.off]) || isDigit(s.s[s.off]) || s.at('_') || s.at('-')) {
		s.off++
	}
	return s.s[start:s.off]
}

// readHits reads Path of Exile's rules and where the client stands with them,
//
//	X-Rate-Limit-Ip: 8:10:60,15:60:120
//	X-Rate-Limit-Ip-State: 1:10:0,2:60:0
//
// hits per period in seconds, and the penalty that is due above, or is on.
func (f *Fields) readHits(fields []found) {
	var rules, state [][3]int64
	for i := range fields {
		triples, why := readTriples(fields[i].lines)
		f.note(&fields[i], why)
		if fields[i].part == partHits {
			rules = triples
		} else {
			state = triples
		}
	}
	for i, rule := range rules {
		l := Named{Names: namesOf(fields)}
		l.told()
		l.Limit, l.Window = rule[0], times(rule[1], time.Second)
		if i < len(state) && state[i][1] == rule[1] {
			l.Used = state[i][0]
			if penalty := state[i][2]; penalty > 0 {
				l.Remaining, l.HasRemaining = 0, true
				l.ResetAfter = after(times(penalty, time.Second))
			}
		}
		name := fields[0].label + " " + strconv.FormatInt(rule[0], 10) + ";w=" + strconv.FormatInt(rule[1], 10)
		if f.XDashed.Name != "" {
			name = f.XDashed.Name + " " + name
		}
		f.add(&l, name, "")
	}
}

// readTriples reads a list of three numbers each.
func readTriples(lines []string) (all [][3]int64, f fault) {
	value, err := join(lines)
	if err != nil {
		return nil, fault{-1, err}
	}
	s := scanner{s: value}
	for n := 0; ; n++ {
		more, err := s.next(n)
		if err != nil {
			return nil, fault{s.off, err}
		}
		if !more {
			return all, fault{}
		}
		var triple [3]int64
		for i := range triple {
			var d decimal
			if err := s.magnitude(&d); err != nil {
				return nil, fault{s.off, err}
			}
			if i < len(triple)-1 && !s.accept(':') {
				return nil, fault{s.off, s.unexpected()}
			}
			triple[i] = d.whole
		}
		if len(all) < MaxOthers {
			all = append(all, triple)
		}
	}
}
