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
func several(fields []found) int {
	if fields[0].part != partLimit {
		return 0
	}
	limits := fields[0].numbers()
	n := len(limits)
	if n < 2 || n > mostPositions || allEqual(limits) || isGrouped(limits) {
		return 0
	}
	for i := range fields {
		if p := fields[i].part; (p == partRemaining || p == partUsed) && len(fields[i].numbers()) == n {
			return n
		}
	}
	return 0
}

// mostPositions is more than any server tells.
const mostPositions = 8

// numbers are those that a field lists; nil if it holds anything else.
func (x *found) numbers() []string {
	if len(x.lines) != 1 || !strings.Contains(x.lines[0], ",") || len(x.lines[0]) > mostPositions*MaxDigits || strings.Trim(x.lines[0], "0123456789, \t") != "" {
		return nil
	}
	values := strings.Split(x.lines[0], ",")
	for i := range values {
		values[i] = strings.Trim(values[i], " \t")
		if values[i] == "" || strings.ContainsAny(values[i], " \t") {
			return nil
		}
	}
	return values
}

func allEqual(values []string) bool {
	for _, v := range values {
		if v != values[0] {
			return false
		}
	}
	return true
}

// isGrouped reports whether values could be one number with thousands separators.
func isGrouped(values []string) bool {
	for _, v := range values[1:] {
		if len(v) != 3 {
			return false
		}
	}
	return len(values[0]) <= 3
}

// readSeveral reads n limits, called by their quotas. Fields with another number of
// values tell nothing of any.
func (f *Fields) readSeveral(fields []found, n int) {
	for i := range n {
		limit := Named{Names: namesOf(fields)}
		quota := ""
		for j := range fields {
			x := &fields[j]
			values := x.numbers()
			if len(values) != n {
				continue
			}
			if x.part == partLimit {
				quota = values[i]
			}
			f.note(x, limit.read(x.part, values[i:i+1]))
		}
		f.add(&limit, strings.TrimPrefix(fields[0].label+" "+quota, " "))
	}
}
