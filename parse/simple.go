package parse

import "time"

// longestSimple is short enough that a value within it cannot exceed a budget.
const longestSimple = 128

// simpleItem reads the form that nearly all fields of draft 10 have:
//
//	"default";r=50;t=30
//
// The name is a String without escapes. The parameters first and second are Integers without a sign; one
// that is absent is Unknown. For any other form ok is false, and the caller uses the scanner. simpleItem
// takes a third of the scanner's time.
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

// simpleNumber reads the form that nearly all separate fields have: digits only.
func simpleNumber(value string) (n int64, ok bool) {
	n, digits := simpleInteger(value)
	return n, digits > 0 && digits == len(value)
}

// setSimple sets w, which is zero, to a -Reset number in seconds: a delay or an epoch. For other units ok
// is false.
func (w *When) setSimple(n int64) (ok bool) {
	switch {
	case n <= longestDelay:
		w.Form, w.Bare, w.After = Delay, true, time.Duration(n)*time.Second
	case firstSecond <= n && n < firstMilli:
		w.Form, w.At = Date, time.Unix(n, 0).UTC()
	}
	return w.Form != Absent
}

// simpleString returns the end of the String at the start of value; 0 if there is none or it has escapes.
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

// simpleInteger reads an Integer at the start of value. digits is 0 if there is none or it is too long.
func simpleInteger(value string) (n int64, digits int) {
	for digits < len(value) && isDigit(value[digits]) {
		n = n*10 + int64(value[digits]-'0')
		if digits++; digits > integerDigits {
			return 0, 0
		}
	}
	return n, digits
}
