package validate

import (
	"slices"
	"time"

	"github.com/headway-go/headway/limits"
)

// next is where the next limit goes: behind Limits, until add adds it. It is to be written as a whole.
func (r *reader) next() *limits.Told {
	if len(r.Limits) == cap(r.Limits) {
		r.Limits = slices.Grow(r.Limits, max(r.most, 1)+1) // the last one may turn out to be there already
	}
	return &r.Limits[:len(r.Limits)+1][len(r.Limits)]
}

// add adds l, which is from next, to the limits, unless it says nothing, or is one that is there.
func (r *reader) add(from *source, l *limits.Told) {
	l.Dialect = from.dialect
	if !r.isLimit(from, l) {
		return
	}
	r.bound(from, l)
	e := r.twin(l)
	if e == nil {
		e = r.namesake(from, l)
	}
	switch {
	case e == nil:
		r.Limits = r.Limits[:len(r.Limits)+1] // l is there
		return
	case same(e, l):
		r.learn(e, l)
	default:
		r.problem(from.names().Remaining, Repeated)
		tighten(e, l)
	}
	r.bound(from, e) // numbers of one, time of the other
}

// twin finds l among the limits that earlier families told.
func (r *reader) twin(l *limits.Told) *limits.Told {
	for i := range r.Limits[:r.told] {
		if e := &r.Limits[i]; same(e, l) {
			return e
		}
	}
	return nil
}

// namesake finds the limit that has l's name. If it is another one, l gets a
// name from its family; in RateLimit, where names are the server's, it is the
// same one told twice.
func (r *reader) namesake(from *source, l *limits.Told) *limits.Told {
	e := r.find(l.Policy, l.PartitionKey)
	if e == nil || from.isStructured() || same(e, l) {
		return e
	}
	l.Policy = joinName(from.family(), l.Policy)
	return r.find(l.Policy, l.PartitionKey)
}

// joinName is the name of a limit whose own name another one has.
func joinName(family, name string) string {
	if name == "" {
		return family
	}
	return family + " " + name
}

// isLimit reports whether l says anything, and takes a quota of 0 out of it that
// stands for no quota. If the request was refused, 0 may be meant; but not a
// reset that has come already.
func (r *reader) isLimit(from *source, l *limits.Told) bool {
	if l.Quota == 0 {
		isWait := l.Reset > 0
		switch {
		case l.Remaining > 0:
			r.problem(from.names().Limit, Placeholder)
			l.Quota = Unknown
		case isWait:
		case r.Throttled:
			l.Reset = Unknown
		default:
			r.problem(from.names().Limit, Placeholder)
			return false
		}
	}
	return l.Quota != Unknown || l.Remaining != Unknown || l.Reset > 0
}

func (r *Reading) find(policy, key string) *limits.Told {
	for i := range r.Limits {
		if l := &r.Limits[i]; l.Policy == policy && l.PartitionKey == key {
			return l
		}
	}
	return nil
}

// slack is how far apart two families may put the same reset. One of them may
// be a date: server and client then cut off or round up a second each.
const slack = 2 * time.Second

// same reports whether a and b tell the same numbers: at least one in common,
// and none that contradicts.
func same(a, b *limits.Told) bool {
	return a.Unit == b.Unit &&
		(a.Quota == b.Quota && a.Quota != Unknown || a.Remaining == b.Remaining && a.Remaining != Unknown) &&
		agree(a.Quota, b.Quota, 0) && agree(a.Remaining, b.Remaining, 0) &&
		agree(a.Window, b.Window, 0) && agree(a.Reset, b.Reset, slack) && within(a.Reset, b.Window) && within(b.Reset, a.Window)
}

// within reports whether a reset can be that of a window: a month's is none of a day.
func within(reset, window time.Duration) bool {
	return window == Unknown || reset <= window || reset-window <= slack
}

// agree reports whether a and b could be one number. Neither is less than
// Unknown, so their difference does not overflow.
func agree[T int64 | time.Duration](a, b, slack T) bool {
	return a == Unknown || b == Unknown || max(a, b)-min(a, b) <= slack
}

// learn takes over what e does not know from l, which is the same limit.
func (r *reader) learn(e, l *limits.Told) {
	if e.Policy == "" && e.PartitionKey == "" && r.find(l.Policy, l.PartitionKey) == nil {
		e.Policy, e.PartitionKey = l.Policy, l.PartitionKey
	}
	e.Quota = known(e.Quota, l.Quota)
	e.Remaining = known(e.Remaining, l.Remaining)
	e.Window = known(e.Window, l.Window)
	e.Reset = known(e.Reset, l.Reset)
}

func known[T int64 | time.Duration](a, b T) T {
	if a == Unknown {
		return b
	}
	return a
}

// tighten makes e at least as strict as l.
func tighten(e, l *limits.Told) {
	e.Quota = least(e.Quota, l.Quota)
	e.Remaining = least(e.Remaining, l.Remaining)
	e.Window = max(e.Window, l.Window)
	e.Reset = max(e.Reset, l.Reset)
}

func least(a, b int64) int64 {
	if a == Unknown || b == Unknown {
		return max(a, b)
	}
	return min(a, b)
}
