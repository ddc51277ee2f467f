package parse

import (
	"errors"
	"slices"
	"time"
)

// readWaits reads Retry-After or the fields that servers send instead of it.
func (f *Fields) readWaits(fields []Found) {
	for i := range fields {
		x := &fields[i]
		w, why := x.readWait()
		f.note(x, why)
		switch {
		case w.Form == Absent:
		case x.family == retryAfter:
			f.RetryAfter = f.RetryAfter.longer(w)
		case x.family == retryAfterFine:
			f.RetryAfterFine, f.FineName = f.RetryAfterFine.longer(w), x.name
		default:
			f.RetryAfterAlias, f.AliasName = f.RetryAfterAlias.longer(w), x.name
		}
	}
}

func (x *Found) readWait() (When, fault) {
	switch {
	case x.part == partInterval:
		return longest(x.lines, readInterval)
	case x.family == retryAfterFine:
		return longest(x.lines, readMillis)
	}
	return longest(x.lines, readRetryAfter)
}

// longest reads a time that belongs on one line. If there are several lines, the longest wait counts. The
// result is Absent if no line is well formed.
func longest(lines []string, read func(string) (When, fault)) (w When, f fault) {
	f = readLines(lines, read, func(v When) { w = w.longer(v) })
	return w, f
}

// readInterval reads a duration, as Traefik sends it.
func readInterval(value string) (When, fault) {
	w, f := readResetAfter(value)
	if f.err == nil && w.After < 0 {
		return When{}, fault{0, ErrRange}
	}
	return w, f
}

// readRetryAfter reads Retry-After (RFC 9110 §10.2.3): a number of seconds, a date in any form of HTTP, an
// RFC 3339 date, or hours, minutes and seconds such as 00:04:59. The seconds may have a fraction, which is never rounded down to 0. A huge number
// saturates. Signs, exponents, units and quotes are errors.
func readRetryAfter(value string) (When, fault) {
	s := scanner{s: value}
	if s.done() {
		return When{}, fault{-1, ErrEmpty}
	}
	if d := s.magnitude(); s.done() {
		return d.delay(time.Second)
	}
	if w, ok := readDate(value); ok {
		return w, fault{}
	}
	if d, ok := readClock(value); ok {
		return after(d), fault{}
	}
	if errors.Is(s.err, ErrDigits) {
		return When{}, s.fault
	}
	return When{}, fault{s.off, ErrTime}
}

// A NamedWait is a Retry-After-<name> field: the time to wait for the limit of that name.
type NamedWait struct {
	Label string // the limit's name, in lower case
	Field string // the field's name, as sent
	Wait  When
}

// hasWait reports whether there is a Retry-After of that name.
func (f *Fields) hasWait(label string) bool {
	return slices.ContainsFunc(f.NamedWaits, func(w NamedWait) bool { return w.Label == label })
}

// readNamedWait reads Retry-After-<name>.
func (f *Fields) readNamedWait(x *Found) {
	if !f.hasRoom(len(f.NamedWaits), x) {
		return
	}
	w, why := longest(x.lines, readRetryAfter)
	if w.Form != Absent {
		f.NamedWaits = append(f.NamedWaits, NamedWait{Label: x.label, Field: x.name, Wait: w})
	}
	f.note(x, why)
}
