package parse

import (
	"strings"
	"time"
)

// A part is what one field of a family tells, as its name says. Their order is the one
// in which they are read: of those that name the limit the first one counts, and a
// refill is told of a limit and a window.
type part uint8

const (
	partNone part = iota
	partLimit
	partRemaining
	partUsed
	partReset
	partResetTime // the same as a date
	partResetMillis
	partResetAfter
	partNext
	partWindow
	partWindowMillis
	partRefill
	partRate
	partCost
	partBucket
	partResource
	partName
	partPolicy
	partRule
	partScope
	partGlobal
	partCategories // Sentry's
	partState      // where the client stands with Path of Exile's rules
)

// mayHaveLabel reports whether fields with a label tell the part: numbers do.
func (p part) mayHaveLabel() bool { return p >= partLimit && p <= partRefill }

// partOf finds the part for the lower-case end of a name.
func partOf(suffix []byte) part {
	switch string(suffix) {
	case "limit", "max", "burst-capacity":
		return partLimit
	case "remaining":
		return partRemaining
	case "used", "usage", "observed":
		return partUsed
	case "reset":
		return partReset
	case "resettime":
		return partResetTime
	case "reset-after":
		return partResetAfter
	case "next":
		return partNext
	case "period", "interval", "duration", "window-size", "interval-seconds":
		return partWindow
	case "interval-ms", "interval-milliseconds":
		return partWindowMillis
	case "fillrate", "replenish-rate":
		return partRefill
	case "requested-tokens":
		return partCost
	case "bucket":
		return partBucket
	case "resource":
		return partResource
	case "name":
		return partName
	case "policy":
		return partPolicy
	case "rule":
		return partRule
	case "scope":
		return partScope
	case "global":
		return partGlobal
	}
	return partNone
}

// told marks c as present and its numbers as unknown until they are set.
func (c *Counts) told() {
	if c.Present {
		return
	}
	*c = Counts{Present: true, Limit: Unknown, Remaining: Unknown, Used: Unknown, Window: Unknown}
}

// read adds one field of the family to c. Where two names tell one part, the strictest
// counts, as of several lines.
func (c *Counts) read(p part, lines []string) fault {
	switch p {
	case partLimit:
		return c.readLimit(lines)
	case partRemaining:
		n, ok, f := readRemaining(lines)
		if ok {
			c.told()
			if c.HasRemaining {
				n = min(n, c.Remaining)
			}
			c.Remaining, c.HasRemaining = n, true
		}
		return f
	case partUsed:
		n, ok, f := readUsed(lines)
		if ok {
			c.told()
			c.Used = max(c.Used, n)
		}
		return f
	case partReset, partResetTime, partResetMillis, partResetAfter, partNext:
		return c.readTime(p, lines)
	case partWindow, partWindowMillis, partRefill, partRate, partCost:
		return c.readPace(p, lines)
	case partScope:
		return c.readText(&c.Scope, lines)
	case partGlobal:
		var text string
		f := c.readText(&text, lines)
		c.Global = strings.EqualFold(text, "true")
		return f
	}
	return c.readText(&c.Name, lines)
}

// readTime reads a field that tells when there is more.
func (c *Counts) readTime(p part, lines []string) fault {
	switch p {
	case partResetAfter:
		return c.readWhen(&c.ResetAfter, lines, readResetAfter)
	case partResetMillis:
		return c.readWhen(&c.ResetAfter, lines, readMillis)
	case partReset:
		return c.readWhen(&c.Reset, lines, readReset)
	}
	if p == partNext {
		return c.readWhen(&c.Next, lines, readReset)
	}
	var w When
	f := c.readWhen(&w, lines, readReset)
	if c.Reset.Form == Absent {
		c.Reset = w
	}
	return f
}

// readPace reads a field that tells of a window, or of how fast a quota comes back.
func (c *Counts) readPace(p part, lines []string) fault {
	switch p {
	case partWindow:
		return c.readWindow(lines, readResetAfter)
	case partWindowMillis:
		return c.readWindow(lines, readMillis)
	}
	d, ok, f := singleton(lines, readRate, decimal.less)
	if !ok {
		return f
	}
	switch p {
	case partRate:
		c.told()
		c.Limit, c.Window = d.perWindow()
	case partRefill:
		c.told()
		c.refilledBy(d)
	case partCost:
		c.inRequests(d.whole)
	}
	return f
}

// readWindow reads the length of a window. 0 is none.
func (c *Counts) readWindow(lines []string, read func(string) (When, fault)) fault {
	var w When
	f := c.readWhen(&w, lines, read)
	if w.After > 0 {
		c.Window, c.IsPeriod = max(c.Window, w.After), true
	} else if w.Form != Absent {
		f.note(0, ErrRange)
	}
	return f
}

func (c *Counts) readWhen(out *When, lines []string, read func(string) (When, fault)) fault {
	w, ok, f := singleton(lines, read, When.later)
	if ok {
		c.told()
		*out = out.longer(w)
	}
	return f
}

// readMillis reads a number of milliseconds, not a negative one.
func readMillis(value string) (When, fault) {
	d, f := readDecimal(value)
	if f.err == nil && d.negative {
		f = fault{0, ErrRange}
	}
	if f.err != nil {
		return When{}, f
	}
	return after(d.of(time.Millisecond)), fault{}
}

func (c *Counts) readText(out *string, lines []string) fault {
	text, f := readText(lines)
	if text != "" {
		c.told()
		if *out == "" {
			*out = text
		}
	}
	return f
}
