package validate

import (
	"net/http"
	"time"

	"github.com/headway-go/headway/parse"
)

// A clock measures the time from receipt to a point in time of the server. It reads the Date field and
// the local clock only when a response has such a point.
type clock struct {
	header   http.Header      // has the Date; nil once it was read, or if that is the Date of an earlier response
	age      time.Duration    // the Age of the response
	farthest time.Duration    // a point in time further ahead is none; a year, or MaxReset if that is longer
	now      func() time.Time // the local clock; nil once it was read, or if local is given
	local    time.Time        // the time of receipt on the local clock; zero if unknown
	server   time.Time        // the time of receipt on the server's clock; zero if unknown
}

// setClock sets the clock. If isLocal is true, a cache inside the client sent the response.
func (r *reader) setClock(age time.Duration, isLocal bool) {
	c := &r.clock
	c.age, c.now, c.local, c.farthest = age, r.now, r.received, max(maxPlausible, r.bounds.MaxReset)
	if !isLocal {
		c.header = r.resp.Header
	}
}

// maxPlausible is longer than any server's reset. A point in time further away means that a clock is wrong.
const maxPlausible = 366 * 24 * time.Hour

func plausible(d time.Duration) bool { return -maxPlausible <= d && d <= maxPlausible }

// until returns the time from receipt to t, negative if t is in the past. why is "", NoClock if no clock is
// known, or TooFar if t is further ahead than farthest by both clocks.
func (c *clock) until(t time.Time) (d time.Duration, why Reason) {
	receipt := c.receiptTime()
	d = t.Sub(receipt)
	if !plausible(d) {
		if local := t.Sub(c.localTime()); plausible(local) {
			d = local
		}
	}
	switch {
	case receipt.IsZero():
		return 0, NoClock
	case d > c.farthest:
		return 0, TooFar
	}
	return d, ""
}

// receiptTime returns the time of receipt on the server's clock: the response's Date plus its Age (RFC 9111 §5.1). If
// that is unknown it is the time on the local clock; zero if neither is known.
func (c *clock) receiptTime() time.Time {
	if lines := c.header["Date"]; len(lines) > 0 {
		if date, err := http.ParseTime(lines[0]); err == nil {
			c.server = date.Add(c.age)
		}
	}
	c.header = nil
	if c.server.IsZero() {
		return c.localTime()
	}
	return c.server
}

// localTime returns the time of receipt on the local clock.
func (c *clock) localTime() time.Time {
	if c.now != nil {
		c.local, c.now = c.now(), nil
	}
	return c.local
}

// delay returns the time from receipt to w, never negative; Unknown if w is absent or cannot be measured. A delay of years
// is an epoch in seconds if that is close to now; parse reads finer ones. Others stand for ever: servers send the greatest
// number of a type. field is for Problems.
func (r *reader) delay(field string, w *parse.When) time.Duration {
	t := w.At
	switch {
	case w.Form == parse.Absent:
		return Unknown
	case w.Form == parse.Delay && w.After <= maxPlausible:
		return max(w.After, 0)
	case w.Form == parse.Delay:
		t = time.Unix(0, int64(w.After))
	}
	d, why := r.clock.until(t)
	switch {
	case w.Form == parse.Delay && (why != "" || !plausible(d)):
		return w.After
	case why != "":
		r.problem(field, why)
		return Unknown
	}
	return max(d, 0)
}
