package parse

import (
	"strings"
	"time"
)

// countPositions returns how many limits the fields report by position, as Strava's fields do:
//
//	X-RateLimit-Limit: 600,30000
//	X-RateLimit-Usage: 314,27536
//
// It returns 0 if the fields report one limit. For several limits, the numbers in -Limit must differ, and
// -Remaining or -Used must have as many numbers. Several numbers in -Limit alone may be one number with a
// thousands separator, or one number that a proxy repeated. Policies in -Limit have parameters, so they
// are not plain numbers.
func countPositions(fields []Found) int {
	if fields[0].part != partLimit {
		return 0
	}
	limits := fields[0].numbers()
	n := len(limits)
	if n < 2 || n > maxPositions || allEqual(limits) {
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

// maxPositions is more limits than any server lists.
const maxPositions = 8

// numbers returns the numbers that a field lists, with the white space around them. It returns nil if the
// field has anything else.
func (x *Found) numbers() []string {
	if len(x.lines) != 1 || len(x.lines[0]) > maxPositions*MaxDigits ||
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

// isGrouped reports whether values could be one number with thousands separators, which have no white space
// behind them.
func isGrouped(values []string) bool {
	for _, v := range values[1:] {
		if len(v) != 3 || v[0] == ' ' || v[0] == '\t' {
			return false
		}
	}
	return len(trim(values[0])) <= 3
}

// readPositions reads n limits. The quota of each limit becomes a part of its label. A quota of 0 beside
// another one is not metered: Brave sends 50, 0 if a plan has no monthly quota.
func (f *Fields) readPositions(fields []Found, n int) {
	limits := make([]Named, n)
	for i := range fields {
		f.note(&fields[i], fields[i].readEach(limits))
	}
	label := fields[0].label
	for i, quota := range fields[0].numbers() {
		limits[i].Position = i
		if limits[i].Limit == 0 {
			continue
		}
		if !f.add(fields, &limits[i], strings.TrimPrefix(label+" "+trim(quota), " "), label) {
			f.noteFull(&fields[0])
		}
	}
}

// readEach adds one value of the field to each limit. A field with another number of values is ignored.
func (x *Found) readEach(limits []Named) (first fault) {
	if x.part == partPolicy {
		x.readWindows(limits)
		return first
	}
	values := x.numbers()
	if len(values) != len(limits) {
		if x.part.mayHaveLabel() {
			first.note(-1, ErrConflict)
		}
		return first
	}
	base := 0
	for i := range limits {
		first.note(limits[i].read(x.part, values[i:i+1]).inLineAt(base))
		base += len(values[i]) + len(",")
	}
	return first
}

// readWindows sets the windows of limits from policies in the same order, such as 50;w=1, 1000;w=3600.
func (x *Found) readWindows(limits []Named) {
	var c Counts
	if c.readLimit(x.lines).err != nil || len(c.Policies) != len(limits) {
		return
	}
	for i, p := range c.Policies {
		if p.Quota == limits[i].Limit {
			limits[i].Window = times(p.Window, time.Second)
		}
	}
}
