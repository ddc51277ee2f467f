package validate

import (
	"strconv"
	"time"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/parse"
)

// counts reads a family of separate fields. Policies in its -Limit field take precedence over shared, the
// policies of RateLimit-Policy.
func (r *reader) counts(d limits.Dialect, c *parse.Counts, shared *policies) {
	if !c.Present {
		return
	}
	from := source{dialect: d}
	if r.isUnlimited(&from, c) {
		return
	}
	l := r.next()
	r.limitOf(&from, c, l)
	own := policies{source: &from, all: c.Policies}
	if r.truncate(&own); !r.joinQuota(l, &own) {
		r.joinQuota(l, shared)
	}
	r.addDocumented(l, 0)
	r.add(&from, l)
	r.addUnused(&own)
	r.earlier = len(r.Limits)
}

// named reads the limits whose fields have labels. A limit is joined with the policies of its own -Limit
// field. Limits that a field lists by position are joined with shared too. Each could
// have MaxLimits policies, so named stops once there are MaxLimits limits.
func (r *reader) named(all []parse.Named, shared *policies) {
	earlier := r.earlier
	for i := range all {
		n := &all[i]
		if len(r.Limits)-earlier >= MaxLimits {
			r.problem(n.Names.Limit, Crowded)
			break
		}
		from := source{limits.DialectNamed, &n.Names}
		if r.isUnlimited(&from, &n.Counts) {
			continue
		}
		l := r.next()
		r.limitOf(&from, &n.Counts, l)
		l.Unit = n.Unit
		if l.Policy == "" {
			l.Policy = n.Label
		}
		own := policies{source: &from, all: n.Policies}
		if r.truncate(&own); !r.joinQuota(l, &own) && n.Label == strconv.FormatInt(n.Limit, 10) {
			r.joinQuota(l, shared)
		}
		r.addDocumented(l, n.Position)
		r.add(&from, l)
		r.addUnused(&own)
	}
	r.earlier = len(r.Limits)
}

// isUnlimited reports whether a negative limit says that there is none, whatever the other numbers are.
// On a refusal a negative limit may be a mistake, so it does not count.
func (r *reader) isUnlimited(from *source, c *parse.Counts) bool {
	if !c.Unlimited || r.Throttled || len(c.Policies) > 0 {
		return false
	}
	r.problem(from.names().Limit, Placeholder)
	return true
}

// limitOf sets l to the limit in c.
func (r *reader) limitOf(from *source, c *parse.Counts, l *limits.Reported) {
	l.Policy, l.PartitionKey, l.Unit = c.Name, "", parse.Requests
	l.Quota, l.Remaining = c.Limit, r.remaining(from, c)
	l.Window, l.Reset = r.window(from, c), r.delay(from, &c.ResetAfter) // preferred to -Reset: it needs no clock and has fractions
	if c.ResetAfter.Form == parse.Absent {
		l.Reset = r.reset(from, l, &c.Reset)
	}
	switch {
	case l.Quota == Unknown && c.Used >= 0 && l.Remaining >= 0 && !c.BadLimit:
		l.Quota = saturated(c.Used, l.Remaining)
	case c.IsPeriod && l.Quota == Unknown && l.Reset != Unknown && agree(l.Window, l.Reset, slack):
		l.Window = Unknown // bitFlyer sends the time to the reset as the period
	}
}

// window returns the length of the window. That of a -Window field is a number without a unit: of more than a year it is a
// point in time, and thousands that are no days count milliseconds perhaps.
func (r *reader) window(from *source, c *parse.Counts) time.Duration {
	isLong := c.IsPeriod && c.Window > longDoubt
	switch {
	case isLong && c.Window > maxPlausible:
		r.problem(from.names().Limit, TooFar)
	case isLong && c.Window%(1000*time.Second) == 0 && c.Window%(24*time.Hour) != 0:
		r.problem(from.names().Limit, Doubted)
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
func (r *reader) remaining(from *source, c *parse.Counts) int64 {
	switch {
	case c.HasRemaining && c.Remaining >= 0:
		return c.Remaining
	case c.HasRemaining && r.Throttled:
		return 0
	case c.HasRemaining:
		r.problem(from.names().Remaining, Placeholder)
		return Unknown
	case c.Used >= 0 && c.Limit >= 0:
		return max(c.Limit-c.Used, 0)
	}
	return Unknown
}
