package ratelimittest

import (
	"net/http"
	"strings"
	"time"
)

// Dimensioned is the dialect of OpenAI's API and of its imitators. Each quota unit has fields of its own,
// with the unit at the end of the name. The reset is a Go duration, rounded up to milliseconds:
//
//	X-RateLimit-Limit-Requests: 100
//	X-RateLimit-Remaining-Requests: 99
//	X-RateLimit-Reset-Requests: 600ms
//	X-RateLimit-Limit-Tokens: 150000
//	X-RateLimit-Remaining-Tokens: 149984
//	X-RateLimit-Reset-Tokens: 6m0s
//
// Dimensioned reports the tightest limit of each unit. In field names, each character of a unit that is not
// an ASCII letter, digit or underscore becomes a hyphen. Units with the same field name count as one unit.
func Dimensioned(h http.Header, _ time.Time, d Decision) {
	for _, l := range d.tightestPerUnit() {
		unit := dimension(l.Unit)
		h.Set("X-RateLimit-Limit-"+unit, count(l.Quota))
		h.Set("X-RateLimit-Remaining-"+unit, count(l.Remaining))
		if l.Reset >= 0 {
			h.Set("X-RateLimit-Reset-"+unit, ceil(l.Reset, time.Millisecond).String())
		}
	}
}

// dimension returns a quota unit, or a policy's name, as a part of field names.
func dimension(unit string) string {
	if unit == "" {
		return UnitRequests
	}
	return strings.Map(func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '_':
			return c
		}
		return '-'
	}, strings.ToLower(unit))
}
