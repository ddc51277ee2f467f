package parse

import (
	"slices"
	"strings"
	"time"

	"github.com/headway-go/headway/limits"
)

// A Usual has the limits of a header in one of the forms that nearly all servers send:
//
//	RateLimit: "default";r=50;t=30            X-RateLimit-Limit: 100
//	RateLimit-Policy: "default";q=100;w=60    X-RateLimit-Remaining: 50
//	                                          X-RateLimit-Reset: 30
//
// RateLimit and RateLimit-Policy may have up to four items, with the same names in the same order.
type Usual struct {
	Dialect limits.Dialect
	n       int
	limits  [mostUsual]UsualLimit
}

// mostUsual is how many limits a [Usual] has at most.
const mostUsual = 4

// A UsualLimit is one limit of a [Usual].
type UsualLimit struct {
	Name      string // "" if there is no policy
	Quota     int64  // more than 0
	Remaining int64  // 0 or more
	Window    int64  // seconds, more than 0; Unknown if there is no policy
	Reset     When   // never Absent; a delay is not negative
}

// Limits returns the limits in the order sent. They share memory with u.
func (u *Usual) Limits() []UsualLimit { return u.limits[:u.n] }

// Read reads fields that [Find] returned, if they are a Usual and nothing else. For other fields ok is false, u has no
// meaning, and the caller uses [Fields.Read], which takes more than twice the time. u must be zero.
func (u *Usual) Read(fields []Found) (ok bool) {
	switch len(fields) {
	case 2:
		return u.pair(fields)
	case 3:
		return u.trio(fields)
	}
	return false
}

// pair reads RateLimit and RateLimit-Policy with the same names.
func (u *Usual) pair(fields []Found) bool {
	limit, policy := &fields[0], &fields[1]
	if limit.family == rateLimitPolicy {
		limit, policy = policy, limit
	}
	if !limit.isLine(rateLimit) || !policy.isLine(rateLimitPolicy) {
		return false
	}
	u.Dialect = limits.DialectRateLimit
	limitItems, policyItems := limit.lines[0], policy.lines[0]
	for u.n < mostUsual {
		name, r, t, limitRest, ok := simpleItem(limitItems, 'r', 't')
		if !ok || u.has(name) {
			return false
		}
		policyName, q, w, policyRest, ok := simpleItem(policyItems, 'q', 'w')
		if !ok || policyName != name || min(q, w) == 0 {
			return false
		}
		l := &u.limits[u.n]
		l.Name, l.Quota, l.Remaining, l.Window = name, q, r, w
		l.Reset.Form, l.Reset.After = Delay, times(t, time.Second)
		u.n++
		if limitRest == "" || policyRest == "" {
			return limitRest == policyRest
		}
		limitItems, policyItems = limitRest, policyRest
	}
	return false
}

// isLine reports whether a field is of that family and has one line.
func (x *Found) isLine(f family) bool { return x.family == f && len(x.lines) == 1 }

// has reports whether an earlier limit has the name.
func (u *Usual) has(name string) bool {
	return slices.ContainsFunc(u.Limits(), func(l UsualLimit) bool { return l.Name == name })
}

// trio reads -Limit, -Remaining and -Reset of one family.
func (u *Usual) trio(fields []Found) bool {
	family := fields[0].family
	dialect := family.dialect()
	if dialect == 0 {
		return false
	}
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
	l := &u.limits[0]
	l.Quota, l.Remaining, l.Window, u.n, u.Dialect = numbers[partLimit], numbers[partRemaining], Unknown, 1, dialect
	return seen == 1<<partLimit|1<<partRemaining|1<<partReset && l.Quota > 0 && l.Reset.setSimple(numbers[partReset])
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

// simpleItem reads the form that nearly all items of draft 10 have:
//
//	"default";r=50;t=30
//
// The name is a String without escapes, and not empty. The parameters first and second are Integers without a
// sign, in this order. rest are the items after the comma; "" if there are none. For any other form ok is
// false, and the caller uses the scanner. simpleItem takes a third of the scanner's time.
func simpleItem(value string, first, second byte) (name string, a, b int64, rest string, ok bool) {
	end := simpleString(value)
	if end <= len(`""`) {
		return "", 0, 0, "", false
	}
	a, at := simpleParam(value, end, first)
	b, at = simpleParam(value, at, second)
	if at == 0 || at < len(value) && value[at] != ',' {
		return "", 0, 0, "", false
	}
	if name = value[1 : end-1]; at == len(value) {
		return name, a, b, "", true
	}
	rest = strings.TrimPrefix(value[at+len(","):], " ")
	return name, a, b, rest, rest != ""
}

// simpleParam reads a parameter of one letter, such as ;r=50, at an offset. It returns the offset behind it; 0 if there
// is none.
func simpleParam(value string, at int, key byte) (n int64, end int) {
	i := at + len(";")
	if i < len(value) && value[i] == ' ' {
		i++
	}
	if len(value) < i+len("r=0") || value[at] != ';' || value[i] != key || value[i+1] != '=' {
		return 0, 0
	}
	i += len("r=")
	n, digits := simpleInteger(value[i:])
	if digits == 0 {
		return 0, 0
	}
	return n, i + digits
}

// simpleNumber reads the form that nearly all separate fields have: digits only.
func simpleNumber(value string) (n int64, ok bool) {
	n, digits := simpleInteger(value)
	return n, digits > 0 && digits == len(value)
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

// simpleString returns the end of the String at the start of value; 0 if there is none, it has escapes, or the value is
// too long.
func simpleString(value string) int {
	if value == "" || value[0] != '"' || len(value) > longestSimple {
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
	for ; digits < len(value) && digits <= integerDigits && isDigit(value[digits]); digits++ {
		n = n*10 + int64(value[digits]-'0')
	}
	if digits > integerDigits {
		return 0, 0
	}
	return n, digits
}
