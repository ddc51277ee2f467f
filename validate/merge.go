package validate

import (
	"cmp"
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
	l.Policy, l.PartitionKey, l.Unit = limits.ShortName(l.Policy), limits.ShortName(l.PartitionKey), limits.ShortName(l.Unit)
	r.bound(from, l)
	for i := range r.Limits[:r.earlier] {
		if e := &r.Limits[i]; same(from, e, l) {
			r.merge(from, e, l)
			return
		}
	}
	if !r.repeat(from, l) {
		r.Limits = append(r.Limits, *l)
	}
}

// repeat merges l into the limit that has its name. If that limit has other numbers, l gets a name from its family, as no
// two limits have one name. In RateLimit a repeated name is the same limit, as the server chose the name.
func (r *reader) repeat(from *parse.Row, l *limits.Reported) (isFound bool) {
	e := r.find(l.Policy, l.PartitionKey)
	if e != nil && l.Dialect != limits.DialectRateLimit && !same(from, e, l) {
		prefix := [...]string{"own", "", "", "RateLimit", from.Names.Limit, "X-RateLimit", "X-Rate-Limit", "RateLimit-Policy"}[l.Dialect]
		l.Policy = limits.ShortName(strings.TrimSpace(prefix + " " + l.Policy))
		e = r.find(l.Policy, l.PartitionKey)
	}
	if e == nil {
		return false
	}
	if !same(from, e, l) {
		r.problem(from.Names.Remaining, Repeated)
	}
	r.merge(from, e, l)
	return true
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
		case r.Throttled:
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

// same reports whether l is the limit e, which was read before it. They must not contradict each other, and must have a
// name or a number in common. A policy with a name is no limit with another name.
func same(from *parse.Row, e, l *limits.Reported) bool {
	switch {
	case e.Unit != l.Unit || !agree(e.Quota, l.Quota, 0) || !agree(e.Remaining, l.Remaining, 0) ||
		!agree(e.Window, l.Window, 0) || !agree(e.Reset, l.Reset, slack):
		return false
	case e.Policy == l.Policy && l.Policy != "":
		return e.PartitionKey == l.PartitionKey || e.PartitionKey == "" || l.PartitionKey == ""
	case from.IsPolicy && from.Name != "" && e.Policy != "", !within(e.Reset, l.Window), !within(l.Reset, e.Window):
		return false
	}
	return e.Quota == l.Quota && e.Quota != Unknown || e.Remaining == l.Remaining && e.Remaining != Unknown
}

// within reports whether a reset fits a window: the reset of a month does not fit the window of a day.
func within(reset, window time.Duration) bool {
	return window == Unknown || reset <= window || reset-window <= slack
}

// agree reports whether a and b could be one number. Neither is less than Unknown, so the difference does not overflow.
func agree[T int64 | time.Duration](a, b, slack T) bool {
	return a == Unknown || b == Unknown || max(a, b)-min(a, b) <= slack
}

// merge adds to e, which is the same limit, what l knows.
func (r *reader) merge(from *parse.Row, e, l *limits.Reported) {
	policy, key := cmp.Or(e.Policy, l.Policy), cmp.Or(e.PartitionKey, l.PartitionKey)
	if r.find(policy, key) == nil {
		e.Policy, e.PartitionKey = policy, key
	}
	tighten(e, l)
	r.bound(from, e) // it may have the quota of one and the window of the other
}

// tighten sets the unknown numbers of e to those of l. Where the numbers differ, e becomes as strict as l.
func tighten(e, l *limits.Reported) {
	e.Quota = smallestKnown(e.Quota, l.Quota)
	e.Remaining = smallestKnown(e.Remaining, l.Remaining)
	e.Window = max(e.Window, l.Window)
	if e.Reset == Unknown || !agree(e.Reset, l.Reset, slack) {
		e.Reset = max(e.Reset, l.Reset)
	}
}

func smallestKnown(a, b int64) int64 {
	if a == Unknown || b == Unknown {
		return max(a, b)
	}
	return min(a, b)
}
