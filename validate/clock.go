package validate

import (
	"net/http"
	"time"

	"github.com/headway-go/headway/parse"
)

// A clock measures the time from receipt to a point in time of the server. It reads the Date field and
// the local clock only when a response has such a point.
type clock struct {
	header   http.Header
	age      time.Duration    // the Age of the response
	farthest time.Duration    // a point in time further ahead is none; a year, or MaxReset if that is longer
	isLocal  bool             // a cache inside the client sent the response
	now      func() time.Time // the local clock; nil once it was read, or if received is given
	received time.Time        // the time of receipt on the local clock; zero if unknown
	server   time.Time        // the time of receipt on the server's clock; zero if unknown
	isRead   bool             // server is set, or known to be unknown
}

func (r *reader) setClock(age time.Duration, isLocal bool) {
	c := &r.clock
	c.header, c.age, c.isLocal, c.now, c.received = r.resp.Header, age, isLocal, r.now, r.received
	c.farthest = max(maxPlausible, r.bounds.MaxReset)
}

// maxPlausible is longer than any server's reset. A point in time further away means that a clock is wrong.
const maxPlausible = 366 * 24 * time.Hour

func plausible(d time.Duration) bool { return -maxPlausible <= d && d <= maxPlausible }

// until returns the time from receipt to t, negative if t is in the past. why is "", NoClock if no clock is
// known, or TooFar if t is further ahead than farthest by both clocks.
func (c *clock) until(t time.Time) (d time.Duration, why Reason) {
	server, isKnown := c.serverTime(), false
	if !server.IsZero() {
		d, isKnown = t.Sub(server), true
	}
	if !isKnown || !plausible(d) {
		if local := c.localTime(); !local.IsZero() && (!isKnown || plausible(t.Sub(local))) {
			d, isKnown = t.Sub(local), true
		}
	}
	switch {
	case !isKnown:
		return 0, NoClock
	case d > c.farthest:
		return 0, TooFar
	}
	return d, ""
}

// localTime returns the time of receipt on the local clock.
func (c *clock) localTime() time.Time {
	if c.now != nil {
		c.received, c.now = c.now(), nil
	}
	return c.received
}

// serverTime returns the time of receipt on the server's clock: the response's Date plus its Age (RFC 9111 §5.1). It
// ignores the Date of a response from a cache inside the client, as that is the Date of an earlier response.
func (c *clock) serverTime() time.Time {
	if c.isRead {
		return c.server
	}
	c.isRead = true
	lines := c.header["Date"]
	if len(lines) == 0 || c.isLocal {
		return c.server
	}
	if date, err := http.ParseTime(lines[0]); err == nil {
		c.server = date.Add(c.age)
	}
	return c.server
}

// receiptTime returns the time of receipt on the server's clock, else on the local one; zero if neither is known.
func (c *clock) receiptTime() time.Time {
	if server := c.serverTime(); !server.IsZero() {
		return server
	}
	return c.localTime()
}

// delay returns the time from receipt to w, never negative; Unknown if w is absent or cannot be measured.
func (r *reader) delay(field string, w *parse.When) time.Duration {
	switch w.Form {
	case parse.Delay:
		return max(w.After, 0)
	case parse.Date:
		d, why := r.clock.until(w.At)
		if why == "" {
			return max(d, 0)
		}
		r.problem(field, why)
	}
	return Unknown
}

// firstEpoch is the smallest number of seconds that is taken as an epoch. As a delay it would be 31 years.
const firstEpoch = 1_000_000_000 * time.Second

// retryDelay is delay for Retry-After. It also accepts an epoch in seconds; parse reads finer ones. Other numbers of decades
// stand for ever: servers send the greatest number of a type.
func (r *reader) retryDelay(field string, w *parse.When) time.Duration {
	if w.Form == parse.Delay && w.After >= firstEpoch {
		epoch := time.Unix(int64(w.After/time.Second), 0)
		if d, why := r.clock.until(epoch); why == "" && plausible(d) {
			return max(d, 0)
		}
	}
	return r.delay(field, w)
}
