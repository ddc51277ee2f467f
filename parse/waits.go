package parse

import (
	"slices"
	"time"
)

// A Wait is a field that says how long to wait.
type Wait struct {
	Kind  WaitKind
	Label string // the limit's name in Retry-After-<name>, in lower case; "" for other fields
	Field string // the field's name, as in Problems
	When  When   // never Absent, and After is not negative
}

// A WaitKind says which field a Wait is.
type WaitKind uint8

// The kinds of a Wait, in the order of their families.
const (
	WaitFine    WaitKind = iota // a field with a finer resolution than Retry-After, such as Retry-After-Ms
	WaitUsual                   // Retry-After (RFC 9110 §10.2.3)
	WaitInstead                 // a field that servers send instead of Retry-After, such as X-Retry-After
	WaitNamed                   // Retry-After-<name>, the time to wait for the limit of that name
)

// readWaits reads Retry-After or the fields that servers send beside or instead of it.
func (f *Fields) readWaits(fields []Found) {
	for i := range fields {
		x := &fields[i]
		if !f.hasRoom(len(f.Waits), x) {
			return
		}
		unit := time.Second
		if x.family == retryAfterFine && x.part != partWait {
			unit = time.Millisecond
		}
		var w When
		why := w.read(x.lines, unit)
		if w.After < 0 {
			w, why = When{}, fault{0, ErrRange}
		}
		if w.Form != Absent {
			f.Waits = append(f.Waits, Wait{WaitKind(x.family - retryAfterFine), x.label, x.fieldName(), w})
		}
		f.note(x, why)
	}
}

// hasWait reports whether there is a Retry-After of that name.
func (f *Fields) hasWait(label string) bool {
	return slices.ContainsFunc(f.Waits, func(w Wait) bool { return w.Label == label })
}
