package parse

import (
	"strconv"
	"strings"
	"time"

	"github.com/headway-go/headway/limits"
)

// readListing reads fields that list several limits. An error in a field drops the whole field.
func (f *Fields) readListing(fields []Found, read func(*scanner, *Row)) {
	for i := range fields {
		x, before, hasRoom := &fields[i], len(f.Rows.All()), !f.isFull()
		if !hasRoom {
			f.noteFull(x)
			continue
		}
		s := x.list()
		for n := 0; s.member(n); n++ {
			l := newRow()
			l.Position = n
			if read(&s, &l); s.err != nil {
				break
			}
			label := strings.TrimSpace(x.label + " " + l.Label)
			hasRoom = f.add(fields[i:i+1], &l, label, label)
		}
		if s.err != nil {
			f.named -= len(f.Rows.All()) - before
			f.Rows.cut(before)
			f.note(x, s.fault)
		} else if !hasRoom {
			f.noteFull(x)
		}
	}
}

// list returns a scanner for a list with at least one member.
func (x *Found) list() scanner {
	s := scan(x.lines)
	if trim(s.s) == "" {
		s.note(-1, ErrEmpty)
	}
	if x.family == usages {
		s.s = strings.ReplaceAll(s.s, ";", ",") // Salesforce separates limits by semicolons
	}
	return s
}

// usage reads one limit as Salesforce reports it: a name, the used units and the quota.
//
//	api-usage=18/5000; per-app-api-usage=17/250(appName=sample)
//
// The text in parentheses is about the caller and ignored.
func (s *scanner) usage(l *Row) {
	l.isPresent = true
	if l.Label = s.key(); len(l.Label) > MaxText {
		s.fail(ErrTooLong)
	}
	s.expect('=')
	l.Used = s.magnitude().whole
	s.expect('/')
	l.Limit = s.magnitude().whole
	if s.accept('(') {
		_, rest, isClosed := strings.Cut(s.s[s.off:], ")")
		if s.off = len(s.s) - len(rest); !isClosed {
			s.fail(ErrTruncated)
		}
	}
}

// assignments reads one limit in the lists that Auth0 and Zendesk send. A key without a number is its name.
//
//	b=per_hour;q=100;r=90;t=3600,b=per_day;q=1000;r=990;t=86400
//	per_hour;q=100;r=90;t=3600
//	total=100; remaining=99; resets=41
func (s *scanner) assignments(l *Row) {
	for n := 0; n == 0 || s.accept(';'); n++ {
		if n == MaxParameters {
			s.fail(ErrTooMany)
		}
		if n > 0 {
			s.skipOWS()
		}
		s.assignment(l, n == 0)
		s.skipOWS()
	}
	switch {
	case !s.eof() && !s.at(','):
		s.fail(ErrSyntax)
	case !l.isPresent:
		s.fail(ErrMissing)
	case len(l.Label) > MaxText:
		s.fail(ErrTooLong)
	}
}

// assignment reads a key and its value. The first one may be a name alone. Unknown keys are ignored.
func (s *scanner) assignment(l *Row, isFirst bool) {
	key := s.key()
	switch isAssigned := s.accept('='); {
	case isAssigned && key == "b":
		l.Label = strings.ToLower(s.while(isNameChar))
	case isAssigned:
		s.assign(l, key)
	case isFirst:
		l.Label = key
	default:
		s.unexpected()
	}
}

// assign reads one number.
func (s *scanner) assign(c *Row, key string) {
	d := s.decimal()
	switch key {
	case "q", "total", "limit":
		if d.negative {
			s.fail(ErrRange)
		}
		c.isPresent = true
		c.Limit = d.whole
	case "r", "remaining":
		c.isPresent = true
		c.Remaining, c.HasRemaining = d.floor(), true
	case "t", "resets", "reset":
		c.isPresent = true
		c.ResetAfter = after(d.of(time.Second))
	}
}

func isNameChar(c byte) bool { return isAlpha(c) || isDigit(c) || c == '_' || c == '-' }

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
		l := newRow()
		l.Position = i
		l.isPresent = true
		l.Limit, l.Window = rule[0], times(rule[1], time.Second)
		if i < len(state) && state[i][1] == rule[1] {
			l.Used = state[i][0]
			if penalty := state[i][2]; penalty > 0 {
				l.Remaining, l.HasRemaining = 0, true
				l.ResetAfter = after(times(penalty, time.Second))
			}
		}
		name := fields[0].label + " " + strconv.FormatInt(rule[0], 10) + ";w=" + strconv.FormatInt(rule[1], 10)
		if fields[0].family == triples && f.policyName() != "" {
			name = f.policyName() + " " + name
		}
		if !f.add(fields, &l, name, "") {
			f.noteFull(&fields[0])
			return
		}
	}
}

// readTuples reads a list whose members are size numbers each. The second number is the length of a window and not 0.
func readTuples(x *Found, size int) (all [][3]int64, f fault) {
	s := x.list()
	for n := 0; s.member(n); n++ {
		var tuple [3]int64
		var ends [3]int
		for i := range size {
			if i > 0 {
				s.expect(':')
			}
			tuple[i] = s.magnitude().whole
			ends[i] = s.off
		}
		if tuple[1] == 0 {
			s.failAt(ends[0]+len(":"), ErrRange)
		}
		all = append(all, tuple)
	}
	if s.err != nil {
		return nil, s.fault
	}
	return all, fault{}
}

// policyName returns the name in X-Rate-Limit-Policy.
func (f *Fields) policyName() string {
	for _, row := range f.Rows.All() {
		if row.Family == limits.DialectXDashed {
			return row.Name
		}
	}
	return ""
}
