package parse

import (
	"strconv"
	"time"
)

// readHits reads the rules of Path of Exile, and the state of the client under each rule:
//
//	X-Rate-Limit-Ip: 8:10:60,15:60:120
//	X-Rate-Limit-Ip-State: 1:10:0,2:60:0
//
// The first rule allows 8 requests per 10 s, and its penalty is a hold of 60 s. The first state is 1
// request of the 10 s used, and no penalty at present.
func (f *Fields) readHits(fields []Found) {
	if f.isFull() {
		f.noteFull(&fields[0])
		return
	}
	var rules, state [][3]int64
	for i := range fields {
		triples, why := readTriples(fields[i].lines)
		f.note(&fields[i], why)
		if fields[i].part == partState {
			state = triples
		} else {
			rules = triples
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
		if f.XDashed.Name != "" {
			name = f.XDashed.Name + " " + name
		}
		if !f.add(fields, &l, name, "") {
			f.noteFull(&fields[0])
			return
		}
	}
}

// readTriples reads a list whose members are three numbers each.
func readTriples(lines []string) (all [][3]int64, f fault) {
	value, why := joinListing(lines)
	if why.err != nil {
		return nil, why
	}
	s := scanner{s: value}
	for n := 0; ; n++ {
		more, err := s.next(n)
		if err == nil && !more {
			return all, fault{}
		}
		var triple [3]int64
		if err == nil {
			triple, err = s.triple()
		}
		if err != nil {
			return nil, fault{s.off, err}
		}
		all = append(all, triple)
	}
}

// triple reads three whole numbers. The second number is the length of a window and not 0.
func (s *scanner) triple() (numbers [3]int64, err error) {
	for i := range numbers {
		if i > 0 && !s.accept(':') {
			return numbers, s.unexpected()
		}
		var d decimal
		start := s.off
		if err := s.magnitude(&d); err != nil {
			return numbers, err
		}
		if i == 1 && d.whole == 0 {
			s.off = start
			return numbers, ErrRange
		}
		numbers[i] = d.whole
	}
	return numbers, nil
}
