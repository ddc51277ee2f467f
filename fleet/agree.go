package fleet

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/headway-go/headway/fleet/internal/store"
)

const (
	mostDead = 1024 // dead members that are remembered for the units that they have used

	// newFor is how long a partition must be in the store before its first division, so that all members that
	// start together are known. lostFor is that time if the store has lost the partition: by then all members
	// have reported again.
	newFor  = 200 * time.Millisecond
	lostFor = 2500 * time.Millisecond

	shortWindow = 4 * renewEvery  // shorter windows end before their unused units could be divided again
	turnShort   = 10 * renewEvery // after which the units that cannot be divided evenly go to other members

	longestRenewal = renewEvery * 11 / 10 // the longest time between two renewals, see jittered

	// A member may have sent more units than its record says: up to minUnreported that are under way, plus the
	// even rate for unreportedFor. A record is up to two renewals old.
	minUnreported = 2
	unreportedFor = 5 * renewEvery / 2

	nearlyAll   = 0.9  // the part of its due with which a member counts as having all of it
	idleReserve = 0.02 // the part of a quota set aside for idle members, so that their first request can go
)

// A member is one member of a partition, as the store knows it.
type member struct {
	at     int64 // when the store received the record
	record record
	last   agreement // the member's last agreement; zero: none
}

// A table is everything that the store knows of a partition at one time.
type table struct {
	now     int64
	born    int64
	written int64 // when the last agreements were stored
	ledger  ledger
	members map[string]member
}

// agree divides the quotas of a partition among its members. gone lists the members that may be forgotten.
// agree does not change t.
//
// A part is raised only by units that other members have given back. So all members together cannot exceed
// the quota, though they receive their agreements at different times. A smaller part counts as adopted from
// the renewal whose reply contains it. If that reply is lost, the member uses its larger part until its next
// renewal, for three seconds at most.
func agree(t *table) (l ledger, agreements map[string]agreement, gone []string) {
	l = ledger{Version: store.Version}
	ids, dead, gone := t.living()
	agreements = make(map[string]agreement, len(ids))
	if t.isYoung() {
		l.Limits = t.ledger.Limits
		return l, nil, nil
	}
	all := agreement{Version: store.Version, Made: t.now, Members: max(len(ids), 1)}
	for _, id := range ids {
		m := t.members[id]
		all.Held = max(all.Held, m.record.Held)
	}
	for _, id := range ids {
		agreements[id] = all
	}
	for _, limit := range t.limits(ids) {
		d := newDivision(t, limit, ids, dead)
		l.Limits = append(l.Limits, d.entry)
		for i, p := range d.divide() {
			a := agreements[d.shares[i].id]
			a.Limits = append(slices.Clip(a.Limits), p)
			agreements[d.shares[i].id] = a
		}
	}
	return l, agreements, gone
}

// isYoung reports whether there may be members that the store does not know.
func (t *table) isYoung() bool {
	age := time.Duration(t.now-t.born) * time.Millisecond
	if age >= newFor && age < lostFor {
		for _, m := range t.members {
			if m.record.Again && m.last.Made == 0 {
				return true
			}
		}
	}
	return age < newFor
}

// living sorts the members: ids are alive, dead have ended but used units of windows that are still open, and
// gone may be forgotten.
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

// limits returns the IDs of the limits that members report.
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

// until returns the latest time at which a dead member may have sent a request. A crashed member may have gone
// on after its last record.
func (m *member) until() int64 {
	if m.record.Left {
		return m.at
	}
	return m.at + longestRenewal.Milliseconds()
}

// counts reports whether a dead member's use still matters: in a window that is open, or in one that began after
// its last record.
func (m *member) counts(u *usage, now int64) bool {
	return u.Ends > now && u.Ends-now < 2*u.Window || u.Ends > 0 && u.Ends < m.until() && u.Ends+u.Window > now
}
