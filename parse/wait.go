package parse

import "time"

// readWait reads Retry-After and the fields that servers send in its place.
func (f *Fields) readWait(x *Found) {
	if x.part == partCategories {
		w, why := readCategories(x.lines)
		f.take(x, w, w.Form != Absent)
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
	f.take(x, w, ok)
	f.note(x, why)
}

// take keeps a time to wait if it was told.
func (f *Fields) take(x *Found, w When, ok bool) {
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

// readCategories reads the longest time of a list such as 60:error:project,2700:: in
// which a number of seconds comes first.
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

// longer returns the longer wait of w and v, or the only one that is there.
func (w When) longer(v When) When {
	if w.Form == Absent {
		return v
	}
	return w.later(v)
}
