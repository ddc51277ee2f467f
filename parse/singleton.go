package parse

// singleton reads a field that belongs on one line. Where there are more, each
// is read by itself, those that cannot be read are left out, and of the others
// the strictest is kept. ok tells whether any could be read; the fault is the
// first thing that was left out or contradicted.
func singleton[T comparable](lines []string, read func(string) (T, fault), strictest func(a, b T) T) (kept T, ok bool, f fault) {
	if err := withinBudget(lines); err != nil {
		return kept, false, fault{-1, err}
	}
	if len(lines) == 1 && len(lines[0]) <= MaxFieldLength { // the normal case
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
			f.note(why.from(base))
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
