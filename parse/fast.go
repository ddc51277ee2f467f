package parse

import (
	"strings"
	"time"

	"github.com/headway-go/headway/limits"
)

// Usual reads fields that [Find] returned into row, if they are one limit in a form that most servers send, and nothing
// else:
//
//	RateLimit: "default";r=50;t=30            X-RateLimit-Limit: 100
//	RateLimit-Policy: "default";q=100;w=60    X-RateLimit-Remaining: 50
//	                                          X-RateLimit-Reset: 30
//
// A quota of 0 is not among them. For other fields ok is false, row has no meaning, and the caller uses [Fields.Read],
// which takes some 200 ns more. row must be zero.
func Usual(fields []Found, row *Row) (ok bool) {
	row.Unit, row.Used, row.Cost, row.HasRemaining = Requests, Unknown, Unknown, true
	switch len(fields) {
	case 2:
		return row.setPair(&fields[0], &fields[1])
	case 3:
		return row.setTrio(fields)
	}
	return false
}

// setPair reads RateLimit and RateLimit-Policy with one item each, of the same name.
func (row *Row) setPair(limit, policy *Found) bool {
	if limit.family == rateLimitPolicy {
		limit, policy = policy, limit
	}
	if !limit.isLine(rateLimit) || !policy.isLine(rateLimitPolicy) {
		return false
	}
	name, r, t, isLimit := simpleItem(limit.lines[0], 'r', 't')
	policyName, q, w, isPolicy := simpleItem(policy.lines[0], 'q', 'w')
	row.Family, row.Name, row.Limit, row.Remaining, row.Window = limits.DialectRateLimit, name, q, r, times(w, time.Second)
	row.Reset.Form, row.Reset.After = Delay, times(t, time.Second)
	row.Names = Names{policy.name, limit.name, limit.name}
	return isLimit && isPolicy && name == policyName && min(q, w) > 0
}

// isLine reports whether a field is of that family and has one line.
func (x *Found) isLine(f family) bool { return x.family == f && len(x.lines) == 1 }

// setTrio reads -Limit, -Remaining and -Reset of one family.
func (row *Row) setTrio(fields []Found) bool {
	family := fields[0].family
	var numbers [partReset + 1]int64
	seen := 0 // a set of parts, one bit each
	for i := range fields {
		x := &fields[i]
		if x.part > partReset || x.label != "" || !x.isLine(family) {
			return false
		}
		n, ok := simpleNumber(x.lines[0])
		if !ok {
			return false
		}
		numbers[x.part] = n
		seen |= 1 << x.part
	}
	row.Family, row.Limit, row.Remaining, row.Window = family.dialect(), numbers[partLimit], numbers[partRemaining], Unknown
	row.Names = namesOf(fields)
	isWhole := seen == 1<<partLimit|1<<partRemaining|1<<partReset && row.Family != 0
	return isWhole && row.Limit > 0 && row.Reset.setSimple(numbers[partReset])
}

// dialect returns the dialect of separate fields; 0 for other families.
func (f family) dialect() limits.Dialect {
	switch f {
	case trio:
		return limits.DialectTrio
	case xRateLimit:
		return limits.DialectXRateLimit
	case xDashed:
		return limits.DialectXDashed
	}
	return 0
}

// longestSimple is short enough that a value within it cannot exceed a budget.
const longestSimple = 256

// simpleItem reads a value such as "default";r=50;t=30: a name without escapes, and two parameters of one letter with
// Integers, in this order. For any other form ok is false, and the caller uses the scanner.
func simpleItem(value string, first, second byte) (name string, a, b int64, ok bool) {
	if value == "" || value[0] != '"' || len(value) > longestSimple {
		return "", 0, 0, false
	}
	end := 1
	for end < len(value) && value[end] != '"' {
		if c := value[end]; c == '\\' || !isPrintable(c) {
			return "", 0, 0, false
		}
		end++
	}
	a, rest, hasFirst := simpleParam(value[min(end+1, len(value)):], first)
	b, rest, hasSecond := simpleParam(rest, second)
	return value[1:end], a, b, end > 1 && hasFirst && hasSecond && rest == ""
}

// simpleParam reads a parameter, such as ;r=50, at the start of value.
func simpleParam(value string, key byte) (n int64, rest string, ok bool) {
	value, ok = strings.CutPrefix(value, ";")
	value = strings.TrimPrefix(value, " ")
	if !ok || len(value) < len("r=0") || value[0] != key || value[1] != '=' {
		return 0, "", false
	}
	n, digits := simpleInteger(value[len("r="):])
	return n, value[len("r=")+digits:], digits > 0
}

// simpleNumber reads the form that nearly all separate fields have: digits only.
func simpleNumber(value string) (n int64, ok bool) {
	n, digits := simpleInteger(value)
	return n, digits > 0 && digits == len(value)
}

// simpleInteger reads an Integer at the start of value. digits is 0 if there is none or it is too long.
func simpleInteger(value string) (n int64, digits int) {
	for ; digits < len(value) && digits <= integerDigits && isDigit(value[digits]); digits++ {
		n = n*10 + int64(value[digits]-'0')
	}
	if digits > integerDigits {
		return 0, 0
	}
	return n, digits
}

// setSimple sets w, which is zero, to a -Reset number in seconds: a delay or an epoch. For other units ok is false.
func (w *When) setSimple(n int64) (ok bool) {
	switch {
	case n <= longestDelay:
		w.Form, w.Bare, w.After = Delay, true, time.Duration(n)*time.Second
	case firstSecond <= n && n < firstMilli:
		w.Form, w.At = Date, time.Unix(n, 0).UTC()
	}
	return w.Form != Absent
}
