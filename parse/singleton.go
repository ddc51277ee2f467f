package parse

// singleton reads a field that belongs on one line. If there are several lines, it reads each line by
// itself, leaves out the malformed lines and keeps the strictest value. ok is false if no line is well
// formed. f is the first malformed line or the first contradiction.
func singleton[T comparable](lines []string, read func(string) (T, fault), strictest func(a, b T) T) (kept T, ok bool, f fault) {
	if err := withinBudget(lines); err != nil {
		return kept, false, fault{-1, err}
	}
	if len(lines) == 1 && len(lines[0]) <= MaxFieldLength { // the usual case
		if kept, f = read(lines[0]); f.err != nil {
			return *new(T), false, f
		}
		return kept, true, f
	}
	base := 0
	for _, line := range lines {
		v, why := read(line)
		switch {
		case why.err != nil:
			f.note(why.inLineAt(base))
		case !ok:
			kept, ok = v, true
		case v != kept:
			f.note(base, ErrConflict)
			kept = strictest(kept, v)
		}
		base += len(line) + len(separator)
	}
	return kept, ok, f
}
