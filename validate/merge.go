package validate

import (
	"strings"
	"time"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/parse"
)

// add appends l to Limits, and changes it. If l has no usable number, add drops it. If Limits has the same limit, add
// merges l into it. Its fields are those of from.
func (r *reader) add(from *parse.Row, l *limits.Reported) {
	l.Dialect = from.Family
	r.complement(from, l)
	if !r.isLimit(from, l) {
		return
	}
	if r.isDoubtful(from, l) { // once the window is known
		r.problem(from.Names.Reset, Doubted)
		l.Reset = Unknown
	}
	l.Policy, l.PartitionKey, l.Unit = limits.ShortName(l.Policy), limits.ShortName(l.PartitionKey), limits.ShortName(l.Unit)
	r.bound(from, l)
	e := r.findSame(l)
	if e == nil {
		e = r.findNamed(from, l)
	}
	if e == nil {
		r.Limits = append(r.Limits, *l)
		return
	}
	r.problemIf(!same(e, l), from.Names.Remaining, Repeated)
	if e.Policy == "" && e.PartitionKey == "" && r.find(l.Policy, l.PartitionKey) == nil {
		e.Policy, e.PartitionKey = l.Policy, l.PartitionKey
	}
	merge(e, l)
	r.bound(from, e) // it may have the quota of one and the window of the other
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
func (r *reader) findNamed(from *parse.Row, l *limits.Reported) *limits.Reported {
	e := r.find(l.Policy, l.PartitionKey)
	if e == nil || l.Dialect == limits.DialectRateLimit || same(e, l) {
		return e
	}
	family := [...]string{"own", "", "", "RateLimit", from.Names.Limit, "X-RateLimit", "X-Rate-Limit", "RateLimit-Policy"}[l.Dialect]
	l.Policy = limits.ShortName(strings.TrimSpace(family + " " + l.Policy))
	return r.find(l.Policy, l.PartitionKey)
}

// isLimit reports whether l has a number that a client can use. A quota of 0 with units remaining stands
// for an unknown quota. A quota of 0 without a wait means no limit, unless the request was refused.
func (r *reader) isLimit(from *parse.Row, l *limits.Reported) bool {
	if l.Quota == 0 {
		isWait := l.Reset > 0
		switch {
		case l.Remaining > 0:
			r.problem(from.Names.Limit, Placeholder)
			l.Quota = Unknown
		case isWait:
		case r.isRefused:
			l.Reset = Unknown
		default:
			r.problem(from.Names.Limit, Placeholder)
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
	return window == Unknown || reset-window <= slack
}

// agree reports whether a and b could be one number. Neither is less than Unknown, so the difference does not overflow.
func agree[T int64 | time.Duration](a, b, slack T) bool {
	return a == Unknown || b == Unknown || max(a, b)-min(a, b) <= slack
}

// merge sets the unknown numbers of e to those of l. Where the numbers differ, e becomes as strict as l.
func merge(e, l *limits.Reported) {
	e.Quota = smallestKnown(e.Quota, l.Quota)
	e.Remaining = smallestKnown(e.Remaining, l.Remaining)
	e.Window = max(e.Window, l.Window)
	if e.Reset == Unknown || !agree(e.Reset, l.Reset, slack) {
		e.Reset = max(e.Reset, l.Reset)
	}
	e.Cost = max(e.Cost, l.Cost)
}

func smallestKnown(a, b int64) int64 {
	if a == Unknown || b == Unknown {
		return max(a, b)
	}
	return min(a, b)
}
