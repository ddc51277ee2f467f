package validate

import (
	"math"
	"net/http"
	"time"

	"github.com/headway-go/headway/parse"
)

// A clock measures how far away a point in time of the server is. It is asked
// only for those, so neither Date nor the local clock is read before.
type clock struct {
	header   http.Header
	age      time.Duration    // of the response
	isLocal  bool             // it is from the client's own cache
	now      func() time.Time // the local clock, while it is to be asked for received
	received time.Time        // on the local clock; zero if unknown
	server   time.Time        // the same moment on the server's clock; zero if unknown
	isRead   bool             // server has been looked for
}

func (r *reader) setClock(age time.Duration, isLocal bool) {
	c := &r.clock
	c.header, c.age, c.isLocal, c.now, c.received = r.resp.Header, age, isLocal, r.now, r.received
}

// implausible is further away than any point in time that a server names with
// both clocks right.
const implausible = 366 * 24 * time.Hour

func plausible(d time.Duration) bool { return -implausible <= d && d <= implausible }

// until returns the time from receipt to t, negative if t has passed, and false
// if there is no clock to tell by.
func (c *clock) until(t time.Time) (time.Duration, bool) {
	server := c.serverTime()
	if server.IsZero() {
		return t.Sub(c.localTime()), !c.localTime().IsZero()
	}
	d := t.Sub(server)
	if !plausible(d) && !c.localTime().IsZero() {
		if local := t.Sub(c.localTime()); plausible(local) {
			return local, true
		}
	}
	return d, true
}

// localTime is when the header arrived.
func (c *clock) localTime() time.Time {
	if c.now != nil {
		c.received, c.now = c.now(), nil
	}
	return c.received
}

// serverTime is the response's Date, by now older by its Age (RFC 9111 §5.1).
// The Date of a response from the client's own cache is that of another one.
func (c *clock) serverTime() time.Time {
	if c.isRead {
		return c.server
	}
	c.isRead = true
	lines := c.header["Date"]
	if len(lines) == 0 || c.isLocal {
		return c.server
	}
	date, ok := fixdate(lines[0])
	if !ok {
		var err error
		if date, err = http.ParseTime(lines[0]); err != nil {
			return c.server
		}
	}
	c.server = date.Add(c.age)
	return c.server
}

// moment is that of receipt on the server's clock, or else on the local one; zero if
// neither is known.
func (c *clock) moment() time.Time {
	if server := c.serverTime(); !server.IsZero() {
		return server
	}
	return c.localTime()
}

// delay returns the time from receipt to w, which the Reset field of its source tells: never negative,
// Unknown if w is absent or cannot be measured.
func (r *reader) delay(from *source, w *parse.When) time.Duration {
	switch w.Form {
	case parse.Delay:
		return max(w.After, 0)
	case parse.Date:
		if d, ok := r.clock.until(w.At); ok {
			return max(d, 0)
		}
		r.problem(from.names().Reset, NoClock)
	}
	return Unknown
}

// firstEpoch is the least number of seconds that may be an epoch: a delay of 31
// years is none that a server means.
const firstEpoch = 1_000_000_000 * time.Second

// retryDelay is delay for Retry-After, where some servers write an epoch for
// the seconds.
func (r *reader) retryDelay(field string, w *parse.When) time.Duration {
	if w.Form == parse.Delay && w.After >= firstEpoch {
		epoch := time.Unix(int64(w.After/time.Second), 0)
		if d, ok := r.clock.until(epoch); ok && plausible(d) {
			return max(d, 0)
		}
	}
	return r.delay(&source{own: &parse.Names{Reset: field}}, w)
}

// seconds returns n seconds, saturated; Unknown stays Unknown.
func seconds(n int64) time.Duration {
	switch {
	case n < 0:
		return Unknown
	case n > int64(math.MaxInt64/time.Second):
		return math.MaxInt64
	}
	return time.Duration(n) * time.Second
}
