package parse

import (
	"strings"
	"time"

	"github.com/headway-go/headway/limits"
)

// readUsual reads fields that are one limit in a form that most servers send, and nothing else:
//
//	RateLimit: "default";r=50;t=30            X-RateLimit-Limit: 100
//	RateLimit-Policy: "default";q=100;w=60    X-RateLimit-Remaining: 50
//	                                          X-RateLimit-Reset: 30
//
// A quota of 0 is not among them. For other fields ok is false, and the caller uses readAny, which has the same result and
// takes some 200 ns more.
func (f *Fields) readUsual(fields []Found) (ok bool) {
	return len(fields) == 2 && f.readPair(&fields[0], &fields[1]) || len(fields) == 3 && f.readTrio(fields)
}

// readPair reads RateLimit and RateLimit-Policy with one item each, of the same name, which has no escapes.
func (f *Fields) readPair(limit, policy *Found) bool {
	if limit.family == rateLimitPolicy {
		limit, policy = policy, limit
	}
	if limit.family != rateLimit || policy.family != rateLimitPolicy || len(limit.lines)+len(policy.lines) > 2 {
		return false
	}
	s, p := scanner{s: limit.lines[0]}, scanner{s: policy.lines[0]}
	s.expect('"')
	name := s.while(isPlain)
	s.expect('"')
	if max(len(s.s), len(p.s)) > MaxText || !strings.HasPrefix(p.s, s.s[:s.off]) {
		return false
	}
	p.off = s.off
	r, t, q, w := s.simpleParam('r'), s.simpleParam('t'), p.simpleParam('q'), p.simpleParam('w')
	if s.err != nil || p.err != nil || !s.eof() || !p.eof() || name == "" || min(q, w) == 0 {
		return false
	}
	n := len(f.Rows)
	f.Rows = append(f.Rows, NewRow(), NewRow())
	row := &f.Rows[n]
	row.Family, row.Name, row.Remaining, row.HasRemaining = limits.DialectRateLimit, name, r, true
	row.Names = Names{limit.name, limit.name, limit.name}
	row.Reset.Form, row.Reset.After = Delay, times(t, time.Second)
	row = &f.Rows[n+1]
	row.Family, row.IsPolicy, row.Name, row.Limit, row.Window = limits.DialectPolicy, true, name, q, times(w, time.Second)
	row.Names = Names{policy.name, policy.name, policy.name}
	return true
}

// readTrio reads -Limit, -Remaining and -Reset of one family.
func (f *Fields) readTrio(fields []Found) bool {
	row := NewRow()
	for i := range fields {
		x := &fields[i]
		n, ok := simpleNumber(x.lines[0])
		if !ok || len(x.lines) > 1 || x.family != fields[0].family || x.family > xDashed || x.label != "" {
			return false
		}
		switch x.part {
		case partLimit:
			row.Limit, row.Names.Limit = n, x.name
		case partRemaining:
			row.Remaining, row.HasRemaining, row.Names.Remaining = n, true, x.name
		case partReset:
			row.Reset, _ = decimal{whole: n}.when(unknownUnit)
			row.Names.Reset = x.name
		default:
			return false
		}
	}
	if row.Limit <= 0 || !row.HasRemaining || row.Reset.Form == Absent {
		return false
	}
	row.Family = dialects[fields[0].family]
	f.Rows = append(f.Rows, row)
	return true
}

// simpleParam reads a parameter, such as ;r=50.
func (s *scanner) simpleParam(key byte) int64 {
	s.expect(';')
	s.skipSP()
	s.expect(key)
	s.expect('=')
	n, _ := s.digits(integerDigits)
	return n
}

// simpleNumber reads the form that nearly all separate fields have: digits only.
func simpleNumber(value string) (n int64, ok bool) {
	if value == "" || len(value) > integerDigits {
		return 0, false
	}
	for i := range len(value) {
		if !isDigit(value[i]) {
			return 0, false
		}
		n = n*10 + int64(value[i]-'0')
	}
	return n, true
}
