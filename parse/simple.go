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

// simpleNumber reads the one form that nearly all separate fields have: digits alone.
func simpleNumber(value string) (n int64, ok bool) {
	n, digits := simpleInteger(value)
	return n, digits > 0 && digits == len(value)
}

// simple takes a number of -Reset, if it is one of seconds: w is zero, ok is false if not.
func (w *When) simple(n int64) (ok bool) {
	switch {
	case n <= longestDelay:
		w.Form, w.Bare, w.After = Delay, true, time.Duration(n)*time.Second
	case firstSecond <= n && n < firstMilli:
		w.Form, w.At = Date, time.Unix(n, 0).UTC()
	}
	return w.Form != Absent
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
