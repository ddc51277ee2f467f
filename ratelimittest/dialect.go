package ratelimittest

import (
	"maps"
	"net/http"
	"slices"
	"time"
)

// A Dialect writes a Decision into the header of a response, in the fields of one kind of server. now is the
// time of the decision, for dialects that write points in time. A Handler calls its Dialect for allowed and
// refused requests alike, and concurrently.
//
// Counts are whole numbers. In fields whose name begins with RateLimit they have at most 15 digits (RFC 9651 §3.3.1).
//
// Times are rounded up, to whole seconds unless the dialect has a finer unit. So a client that waits as long as the
// field says is not early. That holds for points in time, too. The client may measure them from the response's Date,
// whose fraction of a second is cut off, or by its own clock if that is right. A Dialect leaves Date to the server.
//
// A Dialect with room for one limit reports the tightest one. Limits in the same unit are compared by the
// remaining units. Limits in different units, such as requests and bytes, are compared by the remaining share
// of the quota. Among equal limits the one with the latest reset is the tightest. A Dialect writes no field
// for a value that the limit does not have.
//
// A Dialect replaces a field that is already there, or adds to it if the field is a list (Draft10). Its methods
// return Dialects of servers that report wrongly or elsewhere. As Draft10 and the others are functions, a test
// converts them first, and it writes lies of other kinds itself:
//
//	Dialect(XRateLimit).Skewed(20 * time.Second)
//	func(h http.Header, now time.Time, d Decision) { // half of all responses have no fields
//		if rand.Float64() < 0.5 {
//			Draft10(h, now, d)
//		}
//	}
type Dialect func(h http.Header, now time.Time, d Decision)

// Silent is the dialect of a server that reports no limits. As a Handler's RetryAfter it writes none.
func Silent(http.Header, time.Time, Decision) {}

// Skewed returns a Dialect for a server whose clock is ahead by that much, or behind if ahead is negative.
// The points in time of d and the Date field both use the wrong clock, so a client can correct them.
//
// Date is the time of the decision. So the clock of a server that responds slowly seems to be further behind.
func (d Dialect) Skewed(ahead time.Duration) Dialect {
	return func(h http.Header, now time.Time, decision Decision) {
		now = now.Add(ahead)
		h.Set("Date", httpDate(now))
		d(h, now, decision)
	}
}

// Claiming returns a Dialect that misreports limits: change modifies a copy of each limit before d writes it.
// change is called concurrently.
//
//	Dialect(Draft10).Claiming(func(l *Limit) { l.Remaining += 5 })    // more than there is
//	Dialect(Trio).Claiming(func(l *Limit) { l.Reset = time.Second })  // always the same reset, as tollbooth does
//	Dialect(Trio).Claiming(func(l *Limit) { *l = Limit{} })           // all 0, as Tyk reports without a quota
func (d Dialect) Claiming(change func(*Limit)) Dialect {
	return func(h http.Header, now time.Time, decision Decision) {
		decision.Limits = slices.Clone(decision.Limits) // the slice belongs to the limiter
		for i := range decision.Limits {
			change(&decision.Limits[i])
		}
		d(h, now, decision)
	}
}

// Malformed returns a Dialect that adds a semicolon to each line of the given fields, or of all fields that d
// writes if none is named. The semicolon is a syntax error, so a strict client must ignore the whole field
// (draft-ietf-httpapi-ratelimit-headers-10 §7). Hugging Face sends a RateLimit-Policy with a syntax error.
func (d Dialect) Malformed(fields ...string) Dialect {
	for i, name := range fields {
		fields[i] = http.CanonicalHeaderKey(name)
	}
	return d.rewritten(func(h http.Header, name, value string) {
		if len(fields) == 0 || slices.Contains(fields, name) {
			value += ";"
		}
		h[name] = append(h[name], value)
	})
}

// InTrailer returns a Dialect that writes the fields of d into the trailer section of the response, which
// follows the body (RFC 9110 §6.5), as draft-polli-ratelimit-headers-05 §3 allows, and announces them in the
// field Trailer. They report the same decision as in a header, however long the body takes.
// In HTTP/1.1 the body has to be chunked for this, so Next must not set Content-Length. A client sees the
// fields only when it has read the body to its end.
//
// As Handler.Dialect this moves the limits, and leaves Retry-After in the header.
func (d Dialect) InTrailer() Dialect {
	return d.rewritten(func(h http.Header, name, value string) {
		h.Add("Trailer", name)
		h[http.TrailerPrefix+name] = append(h[http.TrailerPrefix+name], value)
	})
}

// rewritten returns a Dialect that calls write for each line of d.
func (d Dialect) rewritten(write func(h http.Header, name, value string)) Dialect {
	return func(h http.Header, now time.Time, decision Decision) {
		own := make(http.Header)
		d(own, now, decision)
		for _, name := range slices.Sorted(maps.Keys(own)) {
			for _, line := range own[name] {
				write(h, name, line)
			}
		}
	}
}
