package fleet

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

const (
	mostMembers = 4096 // of one partition; those that come later go by what the server tells
	mostDead    = 1024 // that are remembered for what they have used

	// newFor is how long a partition must be in the store before anything is agreed on, so
	// that members that begin together are known; lostFor if it was lost: members that go by what they
	// were told before have told of it by then.
	newFor  = 200 * time.Millisecond
	lostFor = 2500 * time.Millisecond

	shortWindow = 4 * renewEvery  // a window is over before its units could be divided anew
	turnShort   = 10 * renewEvery // after which another member has the units that are left over

	longestRenewal = renewEvery * 11 / 10 // see jittered

	// Members may have used so much that they have not told of yet: what is under way, and what they
	// have sent since their records, which are up to two renewals old.
	leastUntold = 2.0
	untoldFor   = 5 * renewEvery / 2

	nearlyAll = 0.9  // of what a member is to have, which counts as all of it
	keptShare = 0.02 // of a quota, for all those together who need nothing now, so that their first request goes
)

// A member is one member of a partition as the store knows it.
type member struct {
	at     int64 // when it told its record
	record record
	told   agreement // the zero agreement if nothing
}

// A table is all that the store knows of one partition at a time.
type table struct {
	now     int64
	born    int64
	written int64 // when members were told last
	ledger  ledger
	members map[string]member
}

// agree divides the quotas of a partition among its members. gone are those that
// may be forgotten. It changes nothing in t.
//
// Members are told of a raise only once what they get has been given back by others: all of them
// together then cannot send more than the quota, though they are told at different times. That a
// member goes by less is taken from the renewal with whose answer it was told; where that answer is
// lost it goes by more until its next one, three seconds at most.
func agree(t *table) (l ledger, told map[string]agreement, gone []string) {
	l = ledger{Version: version}
	ids, dead, gone := t.living()
	told = make(map[string]agreement, len(ids))
	if t.isYoung() {
		l.Limits = t.ledger.Limits
		return l, nil, nil
	}
	all := agreement{Version: version, Made: t.now, Members: max(len(ids), 1)}
	for _, id := range ids {
		m := t.members[id]
		all.Held, all.Late = max(all.Held, m.record.Held), max(all.Late, m.record.Late)
	}
	for _, id := range ids {
		told[id] = all
	}
	for _, limit := range t.limits(ids) {
		d := newDivision(t, limit, ids, dead)
		l.Limits = append(l.Limits, d.entry)
		for i, p := range d.divide() {
			a := told[d.shares[i].id]
			a.Limits = append(slices.Clip(a.Limits), p)
			told[d.shares[i].id] = a
		}
	}
	return l, told, gone
}

// isYoung reports whether there may be members that the store does not know.
func (t *table) isYoung() bool {
	age := time.Duration(t.now-t.born) * time.Millisecond
	if age >= newFor && age < lostFor {
		for _, m := range t.members {
			if m.record.Again && m.told.Made == 0 {
				return true
			}
		}
	}
	return age < newFor
}

// living returns the members that are there, those that are not any more but have used
// windows that are still open, and those that may be forgotten.
func (t *table) living() (ids, dead, gone []string) {
	for _, id := range slices.Sorted(maps.Keys(t.members)) {
		m := t.members[id]
		switch {
		case !m.record.Left && t.now-m.at <= leaseFor.Milliseconds() && m.at-t.now <= leaseFor.Milliseconds():
			ids = append(ids, id)
		case slices.ContainsFunc(m.record.Limits, func(u usage) bool { return m.counts(&u, t.now) }):
			dead = append(dead, id)
		default:
			gone = append(gone, id)
		}
	}
	if len(dead) > mostDead {
		slices.SortFunc(dead, func(a, b string) int { return cmp.Compare(t.members[b].at, t.members[a].at) })
		dead, gone = dead[:mostDead], append(gone, dead[mostDead:]...)
	}
	return ids, dead, gone
}

// limits returns the names of the limits that members tell of.
func (t *table) limits(ids []string) []string {
	names := make(map[string]struct{})
	for _, id := range ids {
		for i := range t.members[id].record.Limits {
			names[t.members[id].record.Limits[i].ID] = struct{}{}
		}
	}
	sorted := slices.Sorted(maps.Keys(names))
	return sorted[:min(len(sorted), mostLimits)]
}

// until is when a member has sent its last request, at the latest: it may have gone on after its
// record if it has crashed.
func (m *member) until() int64 {
	if m.record.Left {
		return m.at
	}
	return m.at + longestRenewal.Milliseconds()
}

// counts reports whether what a member that is gone has used of a window still matters: one that is
// open, or one that began after its last record.
func (m *member) counts(u *usage, now int64) bool {
	return u.Ends > now && u.Ends-now < 2*u.Window || u.Ends > 0 && u.Ends < m.until() && u.Ends+u.Window > now
}
