package parse

import (
	"time"

	"github.com/headway-go/headway/limits"
)

// A Usual is the one limit that a header tells in one of the ways in which nearly all servers do
// that tell any:
//
//	RateLimit: "default";r=50;t=30            X-RateLimit-Limit: 100
//	RateLimit-Policy: "default";q=100;w=60    X-RateLimit-Remaining: 50
//	                                          X-RateLimit-Reset: 30
type Usual struct {
	Dialect   limits.Dialect
	Name      string // "" where there is no policy
	Quota     int64  // more than 0
	Remaining int64
	Window    int64 // seconds; Unknown where there is no policy
	Reset     When
}

// Read reads fields that [Find] found if they are a Usual and nothing else, in less than half the time of
// [Fields.Read], to which anything else is left: ok is false. u must be zero.
func (u *Usual) Read(fields []Found) (ok bool) {
	switch {
	case len(fields) == 2 && fields[0].family == rateLimit && fields[1].family == rateLimitPolicy:
		ok = u.pair(fields[0].lines, fields[1].lines)
	case len(fields) == 3 && fields[0].part == partLimit && fields[1].part == partRemaining && fields[2].part == partReset &&
		fields[2].describes(&fields[0]) && fields[0].label == "":
		ok = u.trio(fields)
	}
	return ok && u.Quota > 0
}

// pair reads RateLimit and RateLimit-Policy with one item each, of the same name.
func (u *Usual) pair(limit, policy []string) bool {
	if len(limit) != 1 || len(policy) != 1 {
		return false
	}
	name, r, t, ok := simpleItem(limit[0], 'r', 't')
	if !ok || name == "" || r == Unknown || t == Unknown {
		return false
	}
	of, q, w, ok := simpleItem(policy[0], 'q', 'w')
	u.Dialect, u.Name, u.Quota, u.Remaining, u.Window = limits.DialectRateLimit, name, q, r, w
	u.Reset.Form, u.Reset.After = Delay, times(t, time.Second)
	return ok && of == name && w > 0
}

// trio reads -Limit, -Remaining and -Reset of one family.
func (u *Usual) trio(fields []Found) bool {
	switch fields[0].family {
	case trio:
		u.Dialect = limits.DialectTrio
	case xRateLimit:
		u.Dialect = limits.DialectXRateLimit
	case xDashed:
		u.Dialect = limits.DialectXDashed
	default:
		return false
	}
	var numbers [3]int64
	for i := range numbers {
		if len(fields[i].lines) != 1 {
			return false
		}
		n, ok := simpleNumber(fields[i].lines[0])
		if !ok {
			return false
		}
		numbers[i] = n
	}
	u.Quota, u.Remaining, u.Window = numbers[0], numbers[1], Unknown
	return u.Reset.simple(numbers[2])
}
