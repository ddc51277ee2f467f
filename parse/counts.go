package parse

import (
	"strings"
	"time"
)

// A part is the meaning of one field of a limit. The fields are read in the order of the constants: the
// first field that names the limit counts, and a refill rate needs the limit and the window.
type part uint8

const (
	partNone part = iota
	partLimit
	partRemaining
	partUsed
	partReset
	partResetTime // a reset that is always a date
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
	partCategories // Sentry's quotas
	partState      // the client's state under Path of Exile's rules
)

// mayHaveLabel reports whether the name of a field for this part may have a label. Only numbers and times
// may.
func (p part) mayHaveLabel() bool { return p >= partLimit && p <= partRefill }

// partOf returns the part for the lower-case end of a name; partNone if there is none.
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

// setPresent marks c as present. The first call sets all numbers to Unknown.
func (c *Counts) setPresent() {
	if c.Present {
		return
	}
	*c = Counts{Present: true, Limit: Unknown, Remaining: Unknown, Used: Unknown, Window: Unknown}
}

// read adds one field of the limit to c. If two names are the same part, the strictest value counts, as
// for several lines.
func (c *Counts) read(p part, lines []string) fault {
	switch p {
	case partLimit:
		return c.readLimit(lines)
	case partRemaining:
		n, ok, f := readRemaining(lines)
		if ok {
			c.setPresent()
			if c.HasRemaining {
				n = min(n, c.Remaining)
			}
			c.Remaining, c.HasRemaining = n, true
		}
		return f
	case partUsed:
		n, ok, f := readUsed(lines)
		if ok {
			c.setPresent()
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

// readTime reads a field that says when more units are available.
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

// readPace reads a field for the window, a refill rate or a cost.
func (c *Counts) readPace(p part, lines []string) fault {
	switch p {
	case partWindow:
		return c.readWindow(lines, readResetAfter)
	case partWindowMillis:
		return c.readWindow(lines, readMillis)
	}
	d, ok, f := singleton(lines, readRate, decimal.smaller)
	if !ok {
		return f
	}
	switch p {
	case partRate:
		c.setPresent()
		c.Limit, c.Window = d.perWindow()
	case partRefill:
		c.setPresent()
		c.setRefillWindow(d)
	case partCost:
		c.divideByCost(d.whole)
	}
	return f
}

// readWindow reads the length of a window. A window of 0 is an error.
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
		c.setPresent()
		*out = out.longer(w)
	}
	return f
}

// readMillis reads a non-negative number of milliseconds.
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
		c.setPresent()
		if *out == "" {
			*out = text
		}
	}
	return f
}
