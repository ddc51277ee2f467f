package validate

import (
	"cmp"
	"time"

	"github.com/headway-go/headway/limits"
)

// add appends l to Limits, and changes it. If l has no usable number, add drops it. If Limits has
// the same limit, add merges l into it.
func (r *reader) add(from *source, l *limits.Reported) {
	l.Dialect = from.dialect
	if r.fields != nil && (from.isStructured() || l.Dialect == limits.DialectPolicy) {
		l.PartitionKey = cmp.Or(l.PartitionKey, r.fields.Partition)
	}
	r.complement(from, l)
	if !r.isLimit(from, l) {
		return
	}
	l.Policy, l.PartitionKey, l.Unit = limits.ShortName(l.Policy), limits.ShortName(l.PartitionKey), limits.ShortName(l.Unit)
	r.bound(from, l)
	e := r.findSame(l)
	if e == nil {
		e = r.findNamed(from, l)
	}
	switch {
	case e == nil:
		r.Limits = append(r.Limits, *l)
		return
	case same(e, l):
		r.fillUnknown(e, l)
	default:
		r.problem(from.names.Remaining, Repeated)
		tighten(e, l)
	}
	r.bound(from, e) // the merge may combine the quota of one with the window of the other
}

// findSame returns the limit of an earlier family with the same numbers as l; nil if there is none.
func (r *reader) findSame(l *limits.Reported) *limits.Reported {
	for i := range r.Limits[:r.earlier] {
		if e := &r.Limits[i]; same(e, l) {
			return e
		}
	}
	return nil
}

// findNamed returns the limit that has the name of l; nil if there is none. If that limit has other numbers, l gets a
// name from its family. In RateLimit a repeated name is the same limit, as the server chose the name.
func (r *reader) findNamed(from *source, l *limits.Reported) *limits.Reported {
	e := r.find(l.Policy, l.PartitionKey)
	if e == nil || from.isStructured() || same(e, l) {
		return e
	}
	l.Policy = limits.ShortName(joinName(from.family(), l.Policy))
	return r.find(l.Policy, l.PartitionKey)
}

// joinName returns a name with the prefix of a family.
func joinName(family, name string) string {
	if name == "" {
		return family
	}
	return family + " " + name
}

// isLimit reports whether l has a number that a client can use. A quota of 0 with units remaining stands
// for an unknown quota. A quota of 0 without a wait means no limit, unless the request was refused.
func (r *reader) isLimit(from *source, l *limits.Reported) bool {
	if l.Quota == 0 {
		isWait := l.Reset > 0
		switch {
		case l.Remaining > 0:
			r.problem(from.names.Limit, Placeholder)
			l.Quota = Unknown
		case isWait:
		case r.Throttled:
			l.Reset = Unknown
		default:
			r.problem(from.names.Limit, Placeholder)
			return false
		}
	}
	return l.Quota != Unknown || l.Remaining != Unknown || l.Reset > 0
}

func (r *Reading) find(policy, key string) *limits.Reported {
	for i := range r.Limits {
		if l := &r.Limits[i]; l.Policy == policy && l.PartitionKey == key {
			return l
		}
	}
	return nil
}

// slack is how far apart the resets of one limit may be in two families. If one is a date, server and
// client each round by up to a second.
const slack = 2 * time.Second

// same reports whether a and b have the same numbers: at least one count in common, and no contradiction.
func same(a, b *limits.Reported) bool {
	return a.Unit == b.Unit &&
		(a.Quota == b.Quota && a.Quota != Unknown || a.Remaining == b.Remaining && a.Remaining != Unknown) &&
		agree(a.Quota, b.Quota, 0) && agree(a.Remaining, b.Remaining, 0) &&
		agree(a.Window, b.Window, 0) && agree(a.Reset, b.Reset, slack) && within(a.Reset, b.Window) && within(b.Reset, a.Window)
}

// within reports whether a reset fits a window: the reset of a month does not fit the window of a day.
func within(reset, window time.Duration) bool {
	return window == Unknown || reset <= window || reset-window <= slack
}

// agree reports whether a and b could be one number. Neither is less than Unknown, so the difference does not overflow.
func agree[T int64 | time.Duration](a, b, slack T) bool {
	return a == Unknown || b == Unknown || max(a, b)-min(a, b) <= slack
}

// fillUnknown sets the unknown parts of e from l, which is the same limit.
func (r *reader) fillUnknown(e, l *limits.Reported) {
	if e.Policy == "" && e.PartitionKey == "" && r.find(l.Policy, l.PartitionKey) == nil {
		e.Policy, e.PartitionKey = l.Policy, l.PartitionKey
	}
	e.Quota = firstKnown(e.Quota, l.Quota)
	e.Remaining = firstKnown(e.Remaining, l.Remaining)
	e.Window = firstKnown(e.Window, l.Window)
	e.Reset = firstKnown(e.Reset, l.Reset)
	e.Cost = cmp.Or(e.Cost, l.Cost)
}

func firstKnown[T int64 | time.Duration](a, b T) T {
	if a == Unknown {
		return b
	}
	return a
}

// tighten makes e at least as strict as l.
func tighten(e, l *limits.Reported) {
	e.Quota = smallestKnown(e.Quota, l.Quota)
	e.Remaining = smallestKnown(e.Remaining, l.Remaining)
	e.Window = max(e.Window, l.Window)
	e.Reset = max(e.Reset, l.Reset)
	e.Cost = max(e.Cost, l.Cost)
}

func smallestKnown(a, b int64) int64 {
	if a == Unknown || b == Unknown {
		return max(a, b)
	}
	return min(a, b)
}
