package ratelimittest

import (
	"math"
	"net/http"
	"strconv"
	"time"
)

// A Dialect writes a Decision into the header of a response, in the fields of one kind of server. now is the
// time of the decision, for dialects that write points in time. A Handler calls its Dialect for allowed and
// refused requests alike, and concurrently.
//
// Counts are whole numbers. In fields whose name begins with RateLimit they have at most 15 digits (RFC 9651
// §3.3.1).
//
// Times are rounded up, to whole seconds unless the dialect has a finer unit. So a client that waits as long
// as the field says is not early. That holds for points in time, too. The client may measure them from the
// response's Date, whose fraction of a second is cut off, or by its own clock if that is right. A Dialect
// leaves Date to the server.
//
// A Dialect with room for one limit reports the tightest one. Limits in the same unit are compared by the
// remaining units. Limits in different units, such as requests and bytes, are compared by the remaining share
// of the quota. Among equal limits the one with the latest reset is the tightest. A Dialect writes no field
// for a value that the limit does not have, and nothing if there are no limits.
//
// A Dialect replaces a field that is already there, or adds to it if the field is a list (Draft10). The
// functions that build a Dialect from others must not be given nil.
type Dialect func(h http.Header, now time.Time, d Decision)

// Silent is the dialect of a server that reports no limits.
func Silent(http.Header, time.Time, Decision) {}

// setTrio writes the fields prefix+Limit, prefix+Remaining and prefix+Reset. reset is the formatted value of
// the last one, which is left out if the limit has no reset.
func setTrio(h http.Header, prefix string, l Limit, reset string) {
	h.Set(prefix+"Limit", count(l.Quota))
	h.Set(prefix+"Remaining", count(l.Remaining))
	if l.Reset >= 0 {
		h.Set(prefix+"Reset", reset)
	}
}

func count(n int64) string { return strconv.FormatInt(n, 10) }

func seconds(d time.Duration) string { return count(wholes(d, time.Second)) }

// wholes returns the number of units in d, rounded up. d is not negative.
func wholes(d, unit time.Duration) int64 {
	n := int64(d / unit)
	if d%unit > 0 {
		n++
	}
	return n
}

// roundUp returns the first whole unit at or after t.
func roundUp(t time.Time, unit time.Duration) time.Time {
	down := t.Truncate(unit)
	if down.Before(t) {
		return down.Add(unit)
	}
	return down
}

// ceil rounds d up to a whole unit, or down if the result would overflow. d is not negative.
func ceil(d, unit time.Duration) time.Duration {
	return time.Duration(min(wholes(d, unit), int64(math.MaxInt64/unit))) * unit
}
