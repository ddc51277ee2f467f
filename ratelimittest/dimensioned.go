package ratelimittest

import (
	"net/http"
	"strings"
	"time"
)

// Dimensioned is the dialect of OpenAI's API and those made after it: fields for
// each quota unit, with its name at the end, and a reset that is a duration as
// Go writes it, rounded up to milliseconds:
//
//	X-RateLimit-Limit-Requests: 100
//	X-RateLimit-Remaining-Requests: 99
//	X-RateLimit-Reset-Requests: 600ms
//	X-RateLimit-Limit-Tokens: 150000
//	X-RateLimit-Remaining-Tokens: 149984
//	X-RateLimit-Reset-Tokens: 6m0s
//
// Of several limits in one unit the tightest is told. Whatever in a unit is neither
// letter, digit nor underscore of ASCII becomes a hyphen, and units that are alike
// then count as one.
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

// dimension returns the end of the names of the fields of a quota unit.
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
