package parse

import (
	"strconv"
	"strings"
	"time"
)

// readListing reads fields that list several limits. An error in a field drops the whole field.
func (f *Fields) readListing(fields []Found, read func(*scanner, *Named) error) {
	for i := range fields {
		x, before, hasRoom := &fields[i], len(f.Named), !f.isFull()
		if !hasRoom {
			f.noteFull(x)
			continue
		}
		why := readMembers(x, func(s *scanner, n int) error {
			l := Named{Position: n}
			if err := read(s, &l); err != nil {
				return err
			}
			label := strings.TrimSpace(x.label + " " + l.Label)
			hasRoom = f.add(fields[i:i+1], &l, label, label)
			return nil
		})
		if why.err != nil {
			f.Named = f.Named[:before]
			f.note(x, why)
		} else if !hasRoom {
			f.noteFull(x)
		}
	}
}

// readMembers reads the members of a list with at least one.
func readMembers(x *Found, read func(s *scanner, n int) error) fault {
	value, err := join(x.lines)
	if err == nil && trim(value) == "" {
		err = ErrEmpty
	}
	if err != nil {
		return fault{-1, err}
	}
	if x.family == usages {
		value = strings.ReplaceAll(value, ";", ",") // Salesforce separates limits by semicolons
	}
	s := scanner{s: value}
	if err := s.members(func(n int) error { return read(&s, n) }); err != nil {
		return fault{s.off, err}
	}
	return fault{}
}

// usage reads one limit as Salesforce reports it: a name, the used units and the quota.
//
//	api-usage=18/5000; per-app-api-usage=17/250(appName=sample)
//
// The text in parentheses is about the caller and ignored.
func (s *scanner) usage(l *Named) (err error) {
	if l.Label, err = s.key(); err != nil {
		return err
	}
	if len(l.Label) > MaxText {
		return ErrTooLong
	}
	if !s.accept('=') {
		return s.unexpected()
	}
	var numbers [2]int64
	if err := s.numbers('/', numbers[:]); err != nil {
		return err
	}
	if s.accept('(') {
		_, rest, isClosed := strings.Cut(s.s[s.off:], ")")
		if s.off = len(s.s) - len(rest); !isClosed {
			return ErrTruncated
		}
	}
	l.setPresent()
	l.Used, l.Limit = numbers[0], numbers[1]
	return nil
}

// assignments reads one limit in the lists that Auth0 and Zendesk send. A key without a number is its name.
//
//	b=per_hour;q=100;r=90;t=3600,b=per_day;q=1000;r=990;t=86400
//	per_hour;q=100;r=90;t=3600
//	total=100; remaining=99; resets=41
func (s *scanner) assignments(l *Named) error {
	for n := 0; n == 0 || s.accept(';'); n++ {
		if n == MaxParameters {
			return ErrTooMany
		}
		if n > 0 {
			s.skipOWS()
		}
		if err := s.assignment(l, n == 0); err != nil {
			return err
		}
		s.skipOWS()
	}
	switch {
	case !s.eof() && !s.at(','):
		return ErrSyntax
	case !l.Present:
		return ErrMissing
	case len(l.Label) > MaxText:
		return ErrTooLong
	}
	return nil
}

// assignment reads a key and its value. The first one may be a name alone.
func (s *scanner) assignment(l *Named, isFirst bool) error {
	key, err := s.key()
	if err != nil {
		return err
	}
	switch isAssigned := s.accept('='); {
	case isAssigned && key == "b":
		l.Label = strings.ToLower(s.name())
	case isAssigned:
		return s.assign(&l.Counts, key)
	case isFirst:
		l.Label = key
	default:
		return s.unexpected()
	}
	return nil
}

// assign reads one number. Unknown keys are ignored.
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
		c.setPresent()
		c.Limit = d.whole
	case "r", "remaining":
		c.setPresent()
		c.Remaining, c.HasRemaining = d.floor(), true
	case "t", "resets", "reset":
		c.setPresent()
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

// readRules reads the rules of Path of Exile and of Riot, and the state of the client under each rule:
//
//	X-Rate-Limit-Ip: 8:10:60,15:60:120       X-App-Rate-Limit: 20:1,100:120
//	X-Rate-Limit-Ip-State: 1:10:0,2:60:0     X-App-Rate-Limit-Count: 1:1,3:120
//
// The first rule of Path of Exile allows 8 requests per 10 s, and its penalty is a hold of 60 s. The first
// state is 1 request of the 10 s used, and no penalty at present. Riot's rules have no penalty. size is how
// many numbers a rule has.
func (f *Fields) readRules(fields []Found, size int) {
	if f.isFull() {
		f.noteFull(&fields[0])
		return
	}
	var rules, state [][3]int64
	for i := range fields {
		tuples, why := readTuples(&fields[i], size)
		f.note(&fields[i], why)
		if fields[i].part == partState {
			state = tuples
		} else {
			rules = tuples
		}
	}
	for i, rule := range rules {
		l := Named{Position: i}
		l.setPresent()
		l.Limit, l.Window = rule[0], times(rule[1], time.Second)
		if i < len(state) && state[i][1] == rule[1] {
			l.Used = state[i][0]
			if penalty := state[i][2]; penalty > 0 {
				l.Remaining, l.HasRemaining = 0, true
				l.ResetAfter = after(times(penalty, time.Second))
			}
		}
		name := fields[0].label + " " + strconv.FormatInt(rule[0], 10) + ";w=" + strconv.FormatInt(rule[1], 10)
		if fields[0].family == triples && f.XDashed.Name != "" {
			name = f.XDashed.Name + " " + name
		}
		if !f.add(fields, &l, name, "") {
			f.noteFull(&fields[0])
			return
		}
	}
}

// readTuples reads a list whose members are size numbers each. The second number is the length of a window and not 0.
func readTuples(x *Found, size int) (all [][3]int64, f fault) {
	f = readMembers(x, func(s *scanner, _ int) error {
		var tuple [3]int64
		start := s.off
		err := s.numbers(':', tuple[:size])
		if err == nil && tuple[1] == 0 {
			s.off, err = start+strings.IndexByte(s.s[start:], ':')+1, ErrRange
		}
		all = append(all, tuple)
		return err
	})
	if f.err != nil {
		return nil, f
	}
	return all, f
}

// numbers reads whole numbers with separators between them.
func (s *scanner) numbers(separator byte, out []int64) error {
	for i := range out {
		if i > 0 && !s.accept(separator) {
			return s.unexpected()
		}
		var d decimal
		if err := s.magnitude(&d); err != nil {
			return err
		}
		out[i] = d.whole
	}
	return nil
}
