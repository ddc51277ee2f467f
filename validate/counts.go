package validate

import (
	"time"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/parse"
)

// counts reads a family of separate fields. Policies that its -Limit field
// lists come before the shared ones of RateLimit-Policy.
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
	if r.crop(&own); !r.joinQuota(l, &own) {
		r.joinQuota(l, shared)
	}
	r.addDocumented(l, 0)
	r.add(&from, l)
	r.alone(&own)
	r.told = len(r.Limits)
}

// named reads the limits that are told by names of their own. No policies belong to
// them but those that their own -Limit fields list, so that there could be MaxLimits
// for each of them: once there are that many, the rest is ignored.
func (r *reader) named(all []parse.Named) {
	told := r.told
	for i := range all {
		n := &all[i]
		if len(r.Limits)-told >= MaxLimits {
			r.problem(n.Names.Limit, Crowded)
			break
		}
		from := source{limits.DialectNamed, &n.Names}
		if r.isUnlimited(&from, &n.Counts) {
			continue
		}
		l := r.next()
		r.limitOf(&from, &n.Counts, l)
		if n.Label == "quota" && l.Reset == Unknown {
			continue // may be one of storage
		}
		l.Unit = n.Unit
		if l.Policy == "" {
			l.Policy = n.Label
		}
		own := policies{source: &from, all: n.Policies}
		r.crop(&own)
		r.joinQuota(l, &own)
		r.addDocumented(l, n.Position)
		r.add(&from, l)
		r.alone(&own)
	}
	r.told = len(r.Limits)
}

// isUnlimited reports whether c says with a negative limit that there is none, whatever
// the other numbers are. On a refusal it may be a mistake.
func (r *reader) isUnlimited(from *source, c *parse.Counts) bool {
	if !c.Unlimited || r.Throttled || len(c.Policies) > 0 {
		return false
	}
	r.problem(from.names().Limit, Placeholder)
	return true
}

// limitOf sets l to the limit that c tells of.
func (r *reader) limitOf(from *source, c *parse.Counts, l *limits.Told) {
	l.Policy, l.PartitionKey, l.Unit = c.Name, "", parse.Requests
	l.Quota, l.Remaining = c.Limit, r.remaining(from, c)
	l.Window, l.Reset = c.Window, r.delay(from, &c.ResetAfter) // needs no clock and has fractions
	if c.ResetAfter.Form == parse.Absent {
		l.Reset = r.reset(from, &c.Reset)
	}
	switch {
	case l.Quota == Unknown && c.Used >= 0 && l.Remaining >= 0:
		l.Quota = saturated(c.Used, l.Remaining)
	case l.Quota == Unknown && c.IsPeriod && l.Reset != Unknown && agree(l.Window, l.Reset, slack):
		l.Window = Unknown // a period without a limit that is the time left: bitFlyer
	}
	if l.Reset == Unknown && l.Remaining <= 0 { // while units remain it says nothing
		l.Reset = r.delay(from, &c.Next)
	}
}

// saturated is the sum of two numbers that are not negative.
func saturated(a, b int64) int64 {
	if sum := a + b; sum >= 0 {
		return sum
	}
	return max(a, b)
}

// remaining is what c says is left. A negative number is a client that went over
// its quota, if it was refused; on any other response it is how servers say
// that there is no limit, or that they have lost count.
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

// reset is the time to a -Reset, in the unit that the profile tells.
func (r *reader) reset(from *source, w *parse.When) time.Duration {
	if w.Bare && w.After > 0 {
		return r.hostProfile().resetDelay(w.After)
	}
	return r.delay(from, w)
}
