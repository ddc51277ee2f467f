package ratelimittest

import (
	"net/http"
	"slices"
	"strconv"
	"sync/atomic"
	"time"
)

// Claiming returns a Dialect that misreports limits: change modifies a copy of each limit before d writes it.
// change is called concurrently.
//
//	Claiming(Draft10, func(l *Limit) { l.Remaining += 5 })       // more than there is
//	Claiming(Trio, func(l *Limit) { l.Reset = time.Second })     // always the same reset, as tollbooth does
//	Claiming(XRateLimitDelta, func(l *Limit) { l.Reset = 0 })    // a reset in the past, as Apache APISIX reports at times
//	Claiming(XRateLimit, func(l *Limit) { l.Remaining = -1 })    // an impossible number, as from Spring Cloud Gateway without its store
//	Claiming(XRateLimitDelta, func(l *Limit) { *l = Limit{} })   // all 0, as Tyk reports without a quota
func Claiming(d Dialect, change func(*Limit)) Dialect {
	return func(h http.Header, now time.Time, decision Decision) {
		decision.Limits = slices.Clone(decision.Limits) // the slice belongs to the limiter
		for i := range decision.Limits {
			change(&decision.Limits[i])
		}
		d(h, now, decision)
	}
}

// Renaming returns a Dialect that gives d's policies new names in every response: "default 1", "default 2"
// and so on. No known server does this on purpose. It tests that a client bounds the state that it keeps per
// policy name.
func Renaming(d Dialect) Dialect {
	var responses atomic.Uint64
	return func(h http.Header, now time.Time, decision Decision) {
		suffix := " " + strconv.FormatUint(responses.Add(1), 10)
		Claiming(d, func(l *Limit) { l.Policy += suffix })(h, now, decision)
	}
}
