package validate

import (
	"time"

	"github.com/headway-go/headway/parse"
)

// counts reads a family of separate fields. Policies that its -Limit field
// lists come before the shared ones of RateLimit-Policy.
func (r *reader) counts(f family, c *parse.Counts, shared *policies) {
	if !c.Present {
		return
	}
	l := Limit{
		Policy:    c.Name,
		Unit:      parse.Requests,
		Quota:     c.Limit,
		Remaining: r.remaining(f, c),
		Window:    c.Window,
		Reset:     r.reset(f, c),
	}
	own := policies{source: f, all: atMost(r, f.field(limitPart), c.Policies)}
	if !r.joinQuota(&l, &own) {
		r.joinQuota(&l, shared)
	}
	r.add(f, l)
	r.alone(&own)
	r.told = len(r.Limits)
}

// remaining is what c says is left. A negative number is a client that went over
// its quota, if it was refused; on any other response it is how servers say
// that there is no limit, or that they have lost count.
func (r *reader) remaining(f family, c *parse.Counts) int64 {
	switch {
	case c.HasRemaining && c.Remaining >= 0:
		return c.Remaining
	case c.HasRemaining && r.Throttled:
		return 0
	case c.HasRemaining:
		r.problem(f.field(remainingPart), Placeholder)
		return Unknown
	case c.Used >= 0 && c.Limit >= 0:
		return max(c.Limit-c.Used, 0)
	}
	return Unknown
}

// reset prefers the delay of -Reset-After, which needs no clock and has
// fractions.
func (r *reader) reset(f family, c *parse.Counts) time.Duration {
	if c.ResetAfter.Form != parse.Absent {
		return r.delay(f.field(resetPart), c.ResetAfter)
	}
	return r.delay(f.field(resetPart), c.Reset)
}
