package parse

import (
	"bytes"
	"slices"
)

// longestLabel is the most bytes of a limit's name that an operator chose. It leaves room for the rest of
// the field's name within longestName.
const longestLabel = 40

// operatorNamed finds fields with a name that an operator chose, as for the throttlers of NestJS:
// limit-short, remaining-short and reset-short. The part must come first. isLimit then decides whether
// the fields are a limit.
func operatorNamed(f family, suffix []byte) key {
	word, name, _ := bytes.Cut(suffix, []byte("-"))
	p := partOf(word)
	if p != partLimit && p != partRemaining && p != partReset || string(word) == "max" || !isOperatorName(name) {
		return key{}
	}
	return key{f, p, labelOf(name)}
}

// isOperatorName reports whether b, in lower case, can be a name that an operator chose: a letter, then
// letters, digits, hyphens and underscores. A label that begins with a digit is a window's length, as
// Kong sends it: X-RateLimit-Limit-30.
func isOperatorName(b []byte) bool {
	if len(b) == 0 || len(b) > longestLabel || !isLower(b[0]) || isFormatWord(b) {
		return false
	}
	for _, c := range b {
		if !isLower(c) && !isDigit(c) && c != '-' && c != '_' {
			return false
		}
	}
	return true
}

// isFormatWord reports whether b describes the format of a number and not its subject:
// X-RateLimit-Reset-Epoch, Retry-After-Seconds.
func isFormatWord(b []byte) bool {
	switch string(b) {
	case "ms", "millis", "milliseconds", "s", "sec", "secs", "seconds", "mins", "minutes", "hours", "days",
		"at", "in", "on", "after", "date", "time", "timestamp", "datetime", "epoch", "unix", "utc", "iso", "iso8601",
		"unit", "units", "format", "type", "hint", "human", "reason":
		return true
	}
	return false
}

// isLimit reports whether fields with the same label are a limit. A label that an operator chose needs
// evidence: -Limit or -Remaining with another part, or with a Retry-After of the same name.
// X-RateLimit-Limit-Burst alone may be any number. A label of a window and an unknown word needs -Reset
// or a Retry-After: Kong's X-RateLimit-Limit-Videos-Minute does not count requests.
func (f *Fields) isLimit(fields []Found) bool {
	x := &fields[0]
	if x.label == "" || !mayHaveOperatorName(x) {
		return true
	}
	isCount := x.part == partLimit || x.part == partRemaining
	if isCount && (fields[len(fields)-1].part == partReset || f.hasWait(x.label)) {
		return true
	}
	m, isKnown := measureOf(x.label)
	return isKnown || isCount && len(fields) > 1 && m.window == Unknown
}

// mayHaveOperatorName reports whether the label of x may be a name that an operator chose.
func mayHaveOperatorName(x *Found) bool {
	return x.family == trio || x.family == xRateLimit || x.family == xDashed
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
