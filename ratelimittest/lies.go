package ratelimittest

import (
	"net/http"
	"slices"
	"strconv"
	"sync/atomic"
	"time"
)

// Claiming is d of a server that does not tell its limits as they are: change
// changes a copy of each limit before it is told. It is called concurrently.
//
//	Claiming(Draft10, func(l *Limit) { l.Remaining += 5 })       // more than there is
//	Claiming(Trio, func(l *Limit) { l.Reset = time.Second })     // always the same reset: tollbooth
//	Claiming(XRateLimitDelta, func(l *Limit) { l.Reset = 0 })    // over already: Apache APISIX, at times
//	Claiming(XRateLimit, func(l *Limit) { l.Remaining = -1 })    // no such number: Spring Cloud Gateway that lost count
//	Claiming(XRateLimitDelta, func(l *Limit) { *l = Limit{} })   // all 0: Tyk without a quota
func Claiming(d Dialect, change func(*Limit)) Dialect {
	return func(h http.Header, now time.Time, decision Decision) {
		decision.Limits = slices.Clone(decision.Limits) // they are the limiter's
		for i := range decision.Limits {
			change(&decision.Limits[i])
		}
		d(h, now, decision)
	}
}

// Renaming is d with other names for the policies in every response: "default 1",
// "default 2" and so on. No server is known to mean it, but clients keep state
// for each name, and should not keep ever more of it.
func Renaming(d Dialect) Dialect {
	var responses atomic.Uint64
	return func(h http.Header, now time.Time, decision Decision) {
		suffix := " " + strconv.FormatUint(responses.Add(1), 10)
		Claiming(d, func(l *Limit) { l.Policy += suffix })(h, now, decision)
	}
}
