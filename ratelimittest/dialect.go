package ratelimittest

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// A Dialect writes a decision into the header of its response. now is the time
// of the decision, for dialects that tell points in time. It does not judge: a
// Dialect is called for allowed and for refused requests alike, and may be
// called concurrently.
//
// Counts are whole numbers and times whole seconds rounded up, so that a client
// that waits as long as it is told does not come too early. A Dialect with room
// for one limit reports the tightest: the one with the least left, and among
// equals the one that takes longest to come back.
type Dialect func(h http.Header, now time.Time, d Decision)

// Draft10 is the dialect of draft-ietf-httpapi-ratelimit-headers-10 (§3, §4):
//
//	RateLimit-Policy: "default";q=100;w=60
//	RateLimit: "default";r=50;t=30
func Draft10(h http.Header, _ time.Time, d Decision) {
	if len(d.Limits) == 0 {
		return
	}
	policies := make([]string, len(d.Limits))
	limits := make([]string, len(d.Limits))
	for i, l := range d.Limits {
		name := sfString(l.Policy)
		policies[i] = name + ";q=" + count(l.Quota) + ";w=" + seconds(l.Window)
		limits[i] = name + ";r=" + count(l.Remaining)
		if l.Reset >= 0 {
			limits[i] += ";t=" + seconds(l.Reset)
		}
	}
	h.Set("RateLimit-Policy", strings.Join(policies, ", "))
	h.Set("RateLimit", strings.Join(limits, ", "))
}

// Trio is the dialect of the drafts up to 06, with the policies as in
// draft-ietf-httpapi-ratelimit-headers-06 (§2, §3):
//
//	RateLimit-Policy: 100;w=60
//	RateLimit-Limit: 100
//	RateLimit-Remaining: 50
//	RateLimit-Reset: 30
func Trio(h http.Header, _ time.Time, d Decision) {
	l, ok := d.tightest()
	if !ok {
		return
	}
	policies := make([]string, len(d.Limits))
	for i, l := range d.Limits {
		policies[i] = count(l.Quota) + ";w=" + seconds(l.Window)
	}
	h.Set("RateLimit-Policy", strings.Join(policies, ", "))
	setTrio(h, "RateLimit-", l, seconds(l.Reset))
}

// XRateLimit is the most common dialect of all, which no document defines. Its
// reset is a point in time, in seconds since 1970 on the server's clock:
//
//	X-RateLimit-Limit: 100
//	X-RateLimit-Remaining: 50
//	X-RateLimit-Reset: 1700000030
func XRateLimit(h http.Header, now time.Time, d Decision) {
	if l, ok := d.tightest(); ok {
		setTrio(h, "X-RateLimit-", l, epochSeconds(now.Add(l.Reset)))
	}
}

// XRateLimitDelta is XRateLimit with a delay in seconds for a reset:
//
//	X-RateLimit-Limit: 100
//	X-RateLimit-Remaining: 50
//	X-RateLimit-Reset: 30
func XRateLimitDelta(h http.Header, _ time.Time, d Decision) {
	if l, ok := d.tightest(); ok {
		setTrio(h, "X-RateLimit-", l, seconds(l.Reset))
	}
}

// Silent is the dialect of a server that tells nothing.
func Silent(http.Header, time.Time, Decision) {}

// RetryAfterSeconds writes Retry-After in seconds (RFC 9110 §10.2.3) if the
// decision says when to come back.
func RetryAfterSeconds(h http.Header, _ time.Time, d Decision) {
	if d.RetryAfter > 0 {
		h.Set("Retry-After", seconds(d.RetryAfter))
	}
}

// tightest returns the limit that a dialect with room for one reports.
func (d Decision) tightest() (Limit, bool) {
	if len(d.Limits) == 0 {
		return Limit{}, false
	}
	best := d.Limits[0]
	for _, l := range d.Limits[1:] {
		if l.Remaining < best.Remaining || l.Remaining == best.Remaining && l.Reset > best.Reset {
			best = l
		}
	}
	return best, true
}

func setTrio(h http.Header, prefix string, l Limit, reset string) {
	h.Set(prefix+"Limit", count(l.Quota))
	h.Set(prefix+"Remaining", count(l.Remaining))
	if l.Reset >= 0 {
		h.Set(prefix+"Reset", reset)
	}
}

func count(n int64) string { return strconv.FormatInt(n, 10) }

func seconds(d time.Duration) string {
	return strconv.FormatInt(int64(ceilSeconds(d)/time.Second), 10)
}

func epochSeconds(t time.Time) string {
	return strconv.FormatInt(t.Add(time.Second-1).Unix(), 10)
}

// ceilSeconds rounds d, which is not negative, up to whole seconds.
func ceilSeconds(d time.Duration) time.Duration {
	down := d.Truncate(time.Second)
	if down < d {
		down += time.Second
	}
	return down
}

// sfString writes a String (RFC 9651 §4.1.6), without the characters that it
// cannot hold.
func sfString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range []byte(s) {
		if c == '"' || c == '\\' {
			b.WriteByte('\\')
		}
		if c >= ' ' && c <= '~' {
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
