package parse

import (
	"math"
	"strings"
	"time"
)

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
		if c.readRatio(lines) {
			return fault{}
		}
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

// readRatio reads a -Remaining such as 59/60: 59 of 60 units remain.
func (c *Counts) readRatio(lines []string) bool {
	if len(lines) != 1 || len(lines[0]) > longestSimple || !strings.Contains(lines[0], "/") {
		return false
	}
	l := limitReader{scanner: scanner{s: trim(lines[0])}}
	if !l.ratio() || l.used > l.quota {
		return false
	}
	c.setPresent()
	c.Remaining, c.HasRemaining = l.used, true
	if c.Limit == Unknown {
		c.Limit = l.quota
	}
	return true
}

// readTime reads a field that says when more units are available.
func (c *Counts) readTime(p part, lines []string) fault {
	switch p {
	case partResetAfter:
		return c.readWhen(&c.ResetAfter, lines, readResetAfter)
	case partResetMillis:
		f := c.readWhen(&c.ResetAfter, lines, readMillis)
		if d := c.ResetAfter.After; d >= firstMilli*time.Millisecond && d < math.MaxInt64 { // decades: an epoch
			c.Reset, c.ResetAfter = c.Reset.longer(at(time.Unix(0, int64(d)).UTC())), When{}
		}
		return f
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
