package parse

import (
	"errors"
	"slices"
	"time"
)

// readWait reads Retry-After and the fields that servers send instead of it.
func (f *Fields) readWait(x *Found) {
	if x.part == partCategories {
		w, why := readCategories(x.lines)
		f.setWait(x, w, w.Form != Absent)
		f.note(x, why)
		return
	}
	read := readRetryAfter
	switch {
	case x.family == retryAfterFine && x.part == partInterval:
		read = readInterval
	case x.family == retryAfterFine:
		read = readMillis
	}
	w, ok, why := singleton(x.lines, read, When.later)
	f.setWait(x, w, ok)
	f.note(x, why)
}

// setWait stores the wait of field x, if the field has one.
func (f *Fields) setWait(x *Found, w When, ok bool) {
	switch {
	case !ok:
	case x.family == retryAfter:
		f.RetryAfter = w
	case x.family == retryAfterFine:
		f.RetryAfterFine, f.FineName = f.RetryAfterFine.longer(w), x.name
	default:
		f.RetryAfterAlias, f.AliasName = f.RetryAfterAlias.longer(w), x.name
	}
}

// readInterval reads a duration, as Traefik sends it.
func readInterval(value string) (When, fault) {
	w, f := readResetAfter(value)
	if f.err == nil && w.After < 0 {
		return When{}, fault{0, ErrRange}
	}
	return w, f
}

// readCategories reads a list of quotas as Sentry sends it, such as 60:error:project,2700::. Each member
// begins with a number of seconds. It returns the longest wait.
func readCategories(lines []string) (longest When, f fault) {
	value, err := join(lines)
	if err != nil {
		return When{}, fault{-1, err}
	}
	s := scanner{s: value}
	if s.done() {
		return When{}, fault{-1, ErrEmpty}
	}
	s.off = 0
	for n := 0; ; n++ {
		more, err := s.next(n)
		if err != nil {
			return When{}, fault{s.off, err}
		}
		if !more {
			return longest, fault{}
		}
		var d decimal
		if err := s.magnitude(&d); err != nil {
			return When{}, fault{s.off, err}
		}
		if !s.at(':') && !s.at(',') && !s.eof() {
			return When{}, fault{s.off, ErrSyntax}
		}
		for !s.at(',') && !s.eof() {
			s.off++
		}
		longest = longest.longer(after(d.of(time.Second)))
	}
}

// longer returns the longer wait of w and v. An absent wait does not count.
func (w When) longer(v When) When {
	if w.Form == Absent {
		return v
	}
	return w.later(v)
}

// RetryAfter reads Retry-After (RFC 9110 §10.2.3): a number of seconds, a date in any form of HTTP, an
// RFC 3339 date, or hours, minutes and seconds such as 00:04:59. A number of the size of an epoch in
// milliseconds is one. The seconds may have a fraction, which is never rounded down to 0. A huge number
// saturates. Signs, exponents, units and quotes are errors. If there are several lines, the longest wait
// counts. If nothing can be read the result is zero: its Form is Absent. The error is an *Error.
func RetryAfter(lines []string) (When, error) {
	w, _, f := singleton(lines, readRetryAfter, When.later)
	return w, f.asError("Retry-After")
}

func readRetryAfter(value string) (When, fault) {
	s := scanner{s: value}
	if s.done() {
		return When{}, fault{-1, ErrEmpty}
	}
	var d decimal
	err := s.magnitude(&d)
	if err == nil && s.done() {
		if d.whole >= firstMilli && d.whole < firstMicro { // millennia: an epoch in milliseconds
			return at(time.UnixMilli(d.whole).UTC()), fault{}
		}
		return after(d.of(time.Second)), fault{}
	}
	if w, ok := readDate(value); ok {
		return w, fault{}
	}
	if d, ok := readClock(value); ok {
		return after(d), fault{}
	}
	if !errors.Is(err, ErrDigits) {
		err = ErrTime
	}
	return When{}, fault{s.off, err}
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
	if len(f.NamedWaits) == MaxNamed {
		f.noteFull(x)
		return
	}
	w, ok, why := singleton(x.lines, readRetryAfter, When.later)
	if ok {
		f.NamedWaits = append(f.NamedWaits, NamedWait{Label: x.label, Field: x.name, Wait: w})
	}
	f.note(x, why)
}
