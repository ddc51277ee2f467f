package parse

import "time"

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
	case x.family == retryAfterFine && x.part == partWindow:
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
