package ratelimittest

import (
	"math"
	"net/http"
	"strconv"
	"time"
)

// A Dialect writes a decision into the header of its response. now is the time
// of the decision, for dialects that tell points in time. It does not judge: a
// Dialect is called for allowed and for refused requests alike, and may be
// called concurrently.
//
// Counts are whole numbers, of 15 digits at most in fields whose name begins with
// RateLimit (RFC 9651 §3.3.1). Times are rounded up, to whole seconds unless the
// dialect has finer ones, so that a client that waits as long as it is told does
// not come too early. That holds for points in time too, read by the response's
// Date, of which a server cuts the fraction off, or by the client's own clock if
// that is right. Date is left to the server, which knows when it answers.
//
// A Dialect with room for one limit reports the tightest. In one unit that is the
// limit with the least left, and of those in several units, such as requests and
// bytes, the one with the least part of its quota left; among equals it is the one
// that takes longest to come back. What a limit does not tell is left out, and
// without any limit nothing is written.
//
// A field that is there already is replaced, or added to where it is a list
// (Draft10). The functions that make a Dialect of others need those not to be nil.
type Dialect func(h http.Header, now time.Time, d Decision)

// Silent is the dialect of a server that tells nothing.
func Silent(http.Header, time.Time, Decision) {}

// setTrio writes a limit into three fields, with its reset in the form given.
func setTrio(h http.Header, prefix string, l Limit, reset string) {
	h.Set(prefix+"Limit", count(l.Quota))
	h.Set(prefix+"Remaining", count(l.Remaining))
	if l.Reset >= 0 {
		h.Set(prefix+"Reset", reset)
	}
}

func count(n int64) string { return strconv.FormatInt(n, 10) }

func seconds(d time.Duration) string { return count(wholes(d, time.Second)) }

// wholes returns d, which is not negative, in units, rounded up.
func wholes(d, unit time.Duration) int64 {
	n := int64(d / unit)
	if d%unit > 0 {
		n++
	}
	return n
}

// roundUp returns the first whole unit since 1970 that is not before t.
func roundUp(t time.Time, unit time.Duration) time.Time {
	down := t.Truncate(unit)
	if down.Before(t) {
		return down.Add(unit)
	}
	return down
}

// ceil rounds d, which is not negative, up to a whole unit, if that fits.
func ceil(d, unit time.Duration) time.Duration {
	return time.Duration(min(wholes(d, unit), int64(math.MaxInt64/unit))) * unit
}
