package parse

import "strings"

// A part is what one field of a family of separate fields tells, as the end of
// its name says. Their order is the one in which they are read: of the four
// that name the limit the first one counts.
type part uint8

const (
	partNone part = iota
	partLimit
	partRemaining
	partUsed
	partReset
	partResetAfter
	partBucket
	partResource
	partName
	partPolicy
	partScope
	partGlobal
)

// String returns the end of the field's name.
func (p part) String() string {
	return [...]string{
		"", "Limit", "Remaining", "Used", "Reset", "Reset-After",
		"Bucket", "Resource", "Name", "Policy", "Scope", "Global",
	}[p]
}

// partOf finds the part for the lower-case end of a name.
func partOf(suffix []byte) part {
	switch string(suffix) {
	case "limit":
		return partLimit
	case "remaining":
		return partRemaining
	case "used":
		return partUsed
	case "reset":
		return partReset
	case "reset-after":
		return partResetAfter
	case "bucket":
		return partBucket
	case "resource":
		return partResource
	case "name":
		return partName
	case "policy":
		return partPolicy
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

// read adds one field of the family to c.
func (c *Counts) read(p part, lines []string) (f fault) {
	switch p {
	case partLimit:
		f = c.readLimit(lines)
	case partRemaining:
		var n int64
		var ok bool
		if n, ok, f = readRemaining(lines); ok {
			c.told()
			c.Remaining, c.HasRemaining = n, true
		}
	case partUsed:
		var n int64
		var ok bool
		if n, ok, f = readUsed(lines); ok {
			c.told()
			c.Used = n
		}
	case partReset:
		f = c.readWhen(&c.Reset, lines, readReset)
	case partResetAfter:
		f = c.readWhen(&c.ResetAfter, lines, readResetAfter)
	case partBucket, partResource, partName, partPolicy:
		f = c.readText(&c.Name, lines)
	case partScope:
		f = c.readText(&c.Scope, lines)
	case partGlobal:
		var text string
		f = c.readText(&text, lines)
		c.Global = strings.EqualFold(text, "true")
	}
	return f
}

func (c *Counts) readWhen(out *When, lines []string, read func(string) (When, fault)) fault {
	w, ok, f := singleton(lines, read, When.later)
	if ok {
		c.told()
		*out = w
	}
	return f
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
