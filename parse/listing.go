package parse

import (
	"strings"
	"time"
)

// readListing reads fields of which one tells several parts of a limit, or several
// limits. A fault drops the whole field.
func (f *Fields) readListing(fields []found) {
	x := &fields[0]
	if f.isFull() {
		return
	}
	if x.part == partHits || x.part == partHitsState {
		f.readHits(fields)
		return
	}
	before := len(f.Named)
	value, why := joinListing(x.lines)
	switch {
	case why.err != nil:
	case x.part == partQuotas:
		why = f.readQuotas(fields[:1], value)
	default:
		why = f.readUsages(fields[:1], value)
	}
	if why.err != nil {
		f.Named = f.Named[:before]
		f.note(x, why)
	}
}

// joinListing is join for fields that list something.
func joinListing(lines []string) (string, fault) {
	value, err := join(lines)
	if err == nil && trim(value) == "" {
		err = ErrEmpty
	}
	return value, fault{-1, err}
}

// readUsages reads Salesforce's list of what is used of which quota,
//
//	api-usage=18/5000; per-app-api-usage=17/250(appName=sample)
func (f *Fields) readUsages(fields []found, value string) fault {
	s := scanner{s: strings.ReplaceAll(value, ";", ",")}
	for n := 0; ; n++ {
		more, err := s.next(n)
		if err == nil && !more {
			return fault{}
		}
		l := Named{Names: namesOf(fields)}
		name := ""
		if err == nil {
			name, err = s.usage(&l.Counts)
		}
		if err != nil {
			return fault{s.off, err}
		}
		f.add(&l, name, name)
	}
}

// usage reads a name, what is used and the quota. What follows in parentheses is about
// the caller.
func (s *scanner) usage(c *Counts) (name string, err error) {
	if name, err = s.key(); err != nil {
		return "", err
	}
	if len(name) > MaxText {
		return "", ErrTooLong
	}
	if !s.accept('=') {
		return "", s.unexpected()
	}
	var used, quota decimal
	if err := s.magnitude(&used); err != nil {
		return "", err
	}
	if !s.accept('/') {
		return "", s.unexpected()
	}
	if err := s.magnitude(&quota); err != nil {
		return "", err
	}
	if s.accept('(') && !s.skipPast(')') {
		return "", ErrTruncated
	}
	c.told()
	c.Limit, c.Used = quota.whole, used.whole
	return name, nil
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
		if err == nil && !more {
			return fault{}
		}
		l := Named{Names: namesOf(fields)}
		bucket := ""
		if err == nil {
			bucket, err = s.quota(&l.Counts)
		}
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

// quota reads one limit, and its name if it has one.
func (s *scanner) quota(c *Counts) (bucket string, err error) {
	bucket, err = s.assignments(c)
	switch {
	case err != nil:
		return "", err
	case !s.eof() && !s.at(','):
		return "", ErrSyntax
	case !c.Present:
		return "", ErrMissing
	case len(bucket) > MaxText:
		return "", ErrTooLong
	}
	return bucket, nil
}

// assignments reads pairs of a key and a number.
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
		c.told()
		c.Limit = d.whole
	case "r", "remaining":
		c.told()
		c.Remaining, c.HasRemaining = d.floor(), true
	case "t", "resets", "reset":
		c.told()
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
