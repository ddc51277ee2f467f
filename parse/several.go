package parse

import "strings"

// several reports how many limits the fields of one tell by position, as Strava's do,
//
//	X-RateLimit-Limit: 600,30000
//	X-RateLimit-Usage: 314,27536
//
// 0 if they do not: there are as many different numbers in what is left or used as in
// the limit. A limit alone could be one number with a thousands separator, or repeated
// by a proxy; policies, which follow a limit too, have parameters.
func several(fields []Found) int {
	if fields[0].part != partLimit {
		return 0
	}
	limits := fields[0].numbers()
	n := len(limits)
	if n < 2 || n > mostPositions || allEqual(limits) {
		return 0
	}
	isOne := isGrouped(limits)
	for i := range fields {
		p, numbers := fields[i].part, fields[i].numbers()
		if (p == partRemaining || p == partUsed) && len(numbers) == n && (!isOne || !isGrouped(numbers)) {
			return n
		}
	}
	return 0
}

// mostPositions is more than any server tells.
const mostPositions = 8

// numbers are those that a field lists, with the white space around them; nil if it
// holds anything else.
func (x *Found) numbers() []string {
	if len(x.lines) != 1 || len(x.lines[0]) > mostPositions*MaxDigits ||
		!strings.Contains(x.lines[0], ",") || strings.Trim(x.lines[0], "0123456789, \t") != "" {
		return nil
	}
	values := strings.Split(x.lines[0], ",")
	for _, v := range values {
		if v = trim(v); v == "" || strings.ContainsAny(v, " \t") {
			return nil
		}
	}
	return values
}

func trim(value string) string { return strings.Trim(value, " \t") }

func allEqual(values []string) bool {
	for _, v := range values {
		if trim(v) != trim(values[0]) {
			return false
		}
	}
	return true
}

// isGrouped reports whether values could be one number with thousands separators.
func isGrouped(values []string) bool {
	for _, v := range values[1:] {
		if len(v) != 3 { // nobody writes a space there
			return false
		}
	}
	return len(trim(values[0])) <= 3
}

// readSeveral reads n limits, called by their quotas.
func (f *Fields) readSeveral(fields []Found, n int) {
	limits := make([]Named, n)
	for i := range fields {
		f.note(&fields[i], fields[i].readEach(limits))
	}
	label := fields[0].label
	for i, quota := range fields[0].numbers() {
		limits[i].Position = i
		if !f.add(fields, &limits[i], strings.TrimPrefix(label+" "+trim(quota), " "), label) {
			f.noteFull(&fields[0])
		}
	}
}

// readEach adds one of the field's values to each of limits. With another number of
// values it tells nothing of any.
func (x *Found) readEach(limits []Named) (first fault) {
	values := x.numbers()
	if len(values) != len(limits) {
		if x.part.mayHaveLabel() {
			first.note(-1, ErrConflict)
		}
		return first
	}
	base := 0
	for i := range limits {
		first.note(limits[i].read(x.part, values[i:i+1]).from(base))
		base += len(values[i]) + len(",")
	}
	return first
}
