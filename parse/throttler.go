package parse

import (
	"bytes"
	"slices"
)

// longestLabel is the most bytes of a name that an operator gives a limit. The longest names of
// fields that hold one have room for it within longestName.
const longestLabel = 40

// throttler finds the fields of a limit that has a name of the operator's choice, as NestJS's
// throttlers have: limit-short, remaining-short and reset-short, in this order alone. Whether
// they tell a limit is shown by their number, see isEvident.
func throttler(f family, suffix []byte) key {
	word, name, _ := bytes.Cut(suffix, []byte("-"))
	p := partOf(word)
	if p != partLimit && p != partRemaining && p != partReset || string(word) == "max" || !isChosen(name) {
		return key{}
	}
	return key{f, p, labelOf(name)}
}

// isChosen reports whether b, in lower case, can be the name that an operator has given to a limit: a
// letter and more of those, digits, hyphens and underscores. What begins with a digit is a number, as Kong
// writes windows: X-RateLimit-Limit-30.
func isChosen(b []byte) bool {
	if len(b) == 0 || len(b) > longestLabel || !isLower(b[0]) || isForm(b) {
		return false
	}
	for _, c := range b {
		if !isLower(c) && !isDigit(c) && c != '-' && c != '_' {
			return false
		}
	}
	return true
}

// isForm reports whether b says how a number is written rather than what it is about:
// X-RateLimit-Reset-Epoch, Retry-After-Seconds.
func isForm(b []byte) bool {
	switch string(b) {
	case "ms", "millis", "milliseconds", "s", "sec", "secs", "seconds", "mins", "minutes", "hours", "days",
		"at", "in", "on", "after", "date", "time", "timestamp", "datetime", "epoch", "unix", "utc", "iso", "iso8601",
		"unit", "units", "format", "type", "hint", "human", "reason":
		return true
	}
	return false
}

// isEvident reports whether the fields of one limit tell one: where an operator chose its name, a
// limit or what remains has to come together with another part, or with the same name's Retry-After.
// (X-RateLimit-Limit-Burst alone may be a number of anything.) One of a window's name and no
// reset is Kong's X-RateLimit-Limit-Videos-Minute: what that counts is no request.
func (f *Fields) isEvident(fields []Found) bool {
	x := &fields[0]
	if x.label == "" || !isThrottler(x) {
		return true
	}
	isCount := x.part == partLimit || x.part == partRemaining
	if isCount && (fields[len(fields)-1].part == partReset || f.hasWait(x.label)) {
		return true
	}
	m, isKnown := measureOf(x.label)
	return isKnown || isCount && len(fields) > 1 && m.window == Unknown
}

// isThrottler reports whether the label of x may be a name of an operator's choice.
func isThrottler(x *Found) bool {
	return x.family == trio || x.family == xRateLimit || x.family == xDashed
}

// A NamedWait is what Retry-After-<name> says: the time to wait for the limit of that name.
type NamedWait struct {
	Label string // the limit's name, in lower case
	Field string // the field's name, as sent
	Wait  When
}

// hasWait reports whether a time to wait is told for the limit of a name.
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
