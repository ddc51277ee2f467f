package parse

import "time"

// longestSimple keeps the budgets out of the simple form.
const longestSimple = 128

// simpleItem reads the one form that nearly all fields of draft 10 have,
//
//	"default";r=50;t=30
//
// a String without escapes with no other parameters than two of one letter,
// both of them Integers without a sign; one that is absent is Unknown. It takes
// a third of the time of the scanner, to which anything else is left: ok is false.
func simpleItem(value string, first, second byte) (name string, a, b int64, ok bool) {
	if len(value) > longestSimple {
		return "", 0, 0, false
	}
	end := simpleString(value)
	if end == 0 {
		return "", 0, 0, false
	}
	a, b = Unknown, Unknown
	for i := end; i < len(value); {
		if value[i] != ';' {
			return "", 0, 0, false
		}
		i++
		if i < len(value) && value[i] == ' ' {
			i++
		}
		if len(value)-i < len("r=0") || value[i+1] != '=' {
			return "", 0, 0, false
		}
		key := value[i]
		n, digits := simpleInteger(value[i+2:])
		switch {
		case digits == 0:
			return "", 0, 0, false
		case key == first:
			a = n
		case key == second:
			b = n
		default:
			return "", 0, 0, false
		}
		i += len("r=") + digits
	}
	return value[1 : end-1], a, b, true
}

// simple reads the one form that nearly all fields of a family have: a number without a sign on one line, the only
// one that tells its part. Anything else is left to read: ok is false.
func (c *Counts) simple(p part, lines []string) (ok bool) {
	if len(lines) != 1 {
		return false
	}
	n, digits := simpleInteger(lines[0])
	if digits == 0 || digits < len(lines[0]) {
		return false
	}
	switch {
	case p == partLimit && !c.Present:
		c.told()
		c.Limit = n
	case p == partRemaining && !c.HasRemaining:
		c.told()
		c.Remaining, c.HasRemaining = n, true
	case p == partReset && c.Reset.Form == Absent && n <= longestDelay:
		c.told()
		c.Reset.Form, c.Reset.Bare, c.Reset.After = Delay, true, time.Duration(n)*time.Second
	case p == partReset && c.Reset.Form == Absent && firstSecond <= n && n < firstMilli:
		c.told()
		c.Reset.Form, c.Reset.At = Date, time.Unix(n, 0).UTC()
	default:
		return false
	}
	return true
}

// simpleString returns the end of a String without escapes at the start of
// value, or 0.
func simpleString(value string) int {
	if value == "" || value[0] != '"' {
		return 0
	}
	for i := 1; i < len(value); i++ {
		switch c := value[i]; {
		case c == '"':
			return i + 1
		case c == '\\' || !isPrintable(c):
			return 0
		}
	}
	return 0
}

// simpleInteger reads an Integer at the start of value; no digits mean that
// there is none, or too long a one.
func simpleInteger(value string) (n int64, digits int) {
	for digits < len(value) && isDigit(value[digits]) {
		n = n*10 + int64(value[digits]-'0')
		if digits++; digits > integerDigits {
			return 0, 0
		}
	}
	return n, digits
}
