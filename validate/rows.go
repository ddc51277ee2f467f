package validate

import (
	"cmp"
	"strconv"
	"time"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/parse"
)

// family reads the rows of one dialect. Policies in a -Limit field take precedence over shared, those of RateLimit-Policy.
func (r *reader) family(d limits.Dialect, rows []parse.Row, shared *policies) {
	for i := range rows {
		row := &rows[i]
		if row.Family != d {
			continue
		}
		from := sourceOf(d)
		if d == limits.DialectNamed {
			from.names = row.Names
		}
		if len(r.Limits)-r.earlier >= MaxLimits {
			r.problem(from.names.Remaining, Crowded)
			break
		}
		if r.isUnlimited(&from, row) {
			continue
		}
		l := r.limitOf(&from, row)
		own := policies{source: &from, all: row.Policies}
		r.truncate(&own)
		switch {
		case d == limits.DialectRateLimit:
			r.joinNamed(&l, shared)
		case r.joinQuota(&l, &own):
		case d != limits.DialectNamed || row.Label == strconv.FormatInt(row.Limit, 10): // one of several by position
			r.joinQuota(&l, shared)
		}
		if !from.isStructured() {
			r.addDocumented(&l, row.Position)
		}
		r.add(&from, &l)
		r.addUnused(&own)
	}
	r.earlier = len(r.Limits)
}

// isUnlimited reports whether a negative limit says that there is none, whatever the other numbers are.
// On a refusal a negative limit may be a mistake, so it does not count.
func (r *reader) isUnlimited(from *source, c *parse.Row) bool {
	if !c.Unlimited || r.Throttled || len(c.Policies) > 0 {
		return false
	}
	r.problem(from.names.Limit, Placeholder)
	return true
}

// limitOf returns the limit in c.
func (r *reader) limitOf(from *source, c *parse.Row) (l limits.Reported) {
	l.Policy, l.PartitionKey, l.Unit = cmp.Or(c.Name, c.Label), c.Key, c.Unit
	l.Quota, l.Remaining, l.Cost = c.Limit, r.remaining(from, c), max(c.Cost, 0)
	l.Window, l.Reset = r.window(from, c), r.delay(from.names.Reset, &c.ResetAfter) // preferred to -Reset: it needs no clock and has fractions
	if c.ResetAfter.Form == parse.Absent {
		l.Reset = r.reset(from, &l, &c.Reset)
	}
	switch {
	case l.Quota == Unknown && c.Used >= 0 && l.Remaining >= 0 && !c.BadLimit:
		l.Quota = saturated(c.Used, l.Remaining)
	case c.IsPeriod && l.Quota == Unknown && l.Reset != Unknown && agree(l.Window, l.Reset, slack):
		l.Window = Unknown // bitFlyer sends the time to the reset as the period
	}
	return l
}

// longDoubt is the longest time to a reset that a number without a unit reports: 60000 may be 60,000 seconds or a minute.
// Longer: clients of servers that count milliseconds stop for hours. Shorter: windows of an hour have to be measured.
const longDoubt = time.Hour

// reset returns the time to a -Reset of the limit l.
func (r *reader) reset(from *source, l *limits.Reported, w *parse.When) time.Duration {
	if !w.Bare || w.After <= 0 {
		return r.delay(from.names.Reset, w)
	}
	p := r.profile
	isExplained := p.ResetUnit > 0 || l.Window != Unknown && within(w.After, l.Window)
	if r.doubts && w.After > longDoubt && !isExplained {
		r.problem(from.names.Reset, Doubted)
		return Unknown
	}
	return p.resetDelay(w.After)
}

// window returns the length of the window. That of a -Window field has no unit mostly: of more than a year it is a point
// in time, and thousands of seconds that are no days are milliseconds perhaps.
func (r *reader) window(from *source, c *parse.Row) time.Duration {
	isLong := c.IsPeriod && c.Window > longDoubt
	switch {
	case isLong && c.Window > maxPlausible:
		r.problem(from.names.Limit, TooFar)
	case isLong && c.Window%(1000*time.Second) == 0 && c.Window%(24*time.Hour) != 0:
		r.problem(from.names.Limit, Doubted)
	default:
		return c.Window
	}
	return Unknown
}

// saturated returns the sum of two non-negative numbers, saturated.
func saturated(a, b int64) int64 {
	if sum := a + b; sum >= 0 {
		return sum
	}
	return max(a, b)
}

// remaining returns the remaining quota. A negative number on a refusal means that the client exceeded its quota, so 0
// remains. On any other response it means that there is no limit, or that the server miscounted.
func (r *reader) remaining(from *source, c *parse.Row) int64 {
	switch {
	case c.HasRemaining && c.Remaining >= 0:
		return c.Remaining
	case c.HasRemaining && r.Throttled:
		return 0
	case c.HasRemaining:
		r.problem(from.names.Remaining, Placeholder)
		return Unknown
	case c.Used >= 0 && c.Limit >= 0:
		return max(c.Limit-c.Used, 0)
	}
	return Unknown
}
