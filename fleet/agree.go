package fleet

import (
	"cmp"
	"maps"
	"math"
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

	keptShare = 0.02 // of a quota, for all those together who need nothing now, so that their first request goes
)

// A member is one member of a partition as the store knows it.
type member struct {
	at   int64 // when it told its record
	told record
	last agreement // what it was told; the zero agreement if nothing
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
// Members are told of a raise only once what they get has been given back by others: at
// no time can all of them together send more than the quota. (What is given back is known
// when the record says so, one renewal after it was told.) So it matters little that
// they are told at different times, or that one is told twice.
func agree(t *table) (l ledger, told map[string]agreement, gone []string) {
	l = ledger{Version: version, Made: t.now}
	ids, dead, gone := t.living()
	told = make(map[string]agreement, len(ids))
	if t.isYoung() {
		l.Limits = t.ledger.Limits
		return l, nil, nil
	}
	all := agreement{Version: version, Made: t.now, Members: max(len(ids), 1)}
	for _, id := range ids {
		m := t.members[id]
		all.Held, all.Late = max(all.Held, m.told.Held), max(all.Late, m.told.Late)
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
			if m.told.Again && m.last.Made == 0 {
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
		case !m.told.Left && t.now-m.at <= leaseFor.Milliseconds() && m.at-t.now <= leaseFor.Milliseconds():
			ids = append(ids, id)
		case slices.ContainsFunc(m.told.Limits, func(u usage) bool { return m.counts(&u, t.now) }):
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
		for i := range t.members[id].told.Limits {
			names[t.members[id].told.Limits[i].ID] = struct{}{}
		}
	}
	sorted := slices.Sorted(maps.Keys(names))
	return sorted[:min(len(sorted), mostLimits)]
}

// A division is how one limit is divided.
type division struct {
	now           int64
	quota, window int64
	entry         entry
	shares        []share // those who need all that they can get first, so that others' needs do not move their units
	refills       bool    // it has no windows
	told, held    int64
	remaining     int64
	gone          int64 // units of the open window that members used which are no more
}

// A share is that of one member.
type share struct {
	id    string
	usage *usage
	open  bool // the window that it tells of is the one that is open
	most  part // the most that it can go by now
}

func newDivision(t *table, name string, ids, dead []string) *division {
	d := &division{now: t.now, entry: entry{ID: name}, remaining: -1}
	for _, e := range t.ledger.Limits {
		if e.ID == name {
			d.entry = e
		}
	}
	for _, id := range ids {
		m := t.members[id]
		if u := m.told.limit(name); u != nil {
			d.shares = append(d.shares, share{id: id, usage: u})
			d.hear(u)
		}
	}
	slices.SortStableFunc(d.shares, func(a, b share) int {
		switch {
		case a.usage.Busy == b.usage.Busy:
			return cmp.Compare(a.id, b.id)
		case a.usage.Busy:
			return -1
		}
		return 1
	})
	d.open()
	for i := range d.shares { // now that it is known
		s := &d.shares[i]
		s.open = d.isOpen(s.usage.Ends)
		m := t.members[s.id]
		s.most = d.most(s, &m, t.written)
	}
	for _, id := range dead {
		m := t.members[id]
		if u := m.told.limit(name); u != nil && d.isOpen(u.Ends) {
			d.gone += d.used(u, m.told.Left)
		} else if u != nil {
			d.gone += d.unseen(u, &m)
		}
	}
	return d
}

// hear takes over what a member knows that is newer than what others know.
func (d *division) hear(u *usage) {
	if d.quota == 0 || u.Told > d.told && u.Told <= d.now+leaseFor.Milliseconds() {
		d.quota, d.window = u.Quota, u.Window
		d.told, d.remaining = u.Told, u.Remaining
	}
	d.held, d.refills = max(d.held, u.Held), d.refills || u.Refills
}

// open finds the window that is open: the one that ends last, of those that members tell of.
func (d *division) open() {
	if d.refills || d.window < shortWindow.Milliseconds() {
		d.entry = entry{ID: d.entry.ID, Turn: d.now / turnShort.Milliseconds()}
		return
	}
	var ends int64
	for i := range d.shares {
		if e := d.shares[i].usage.Ends; e > d.now && e <= d.now+d.window+d.window/4 {
			ends = max(ends, e)
		}
	}
	last := d.entry.Ends
	switch {
	case ends == 0, last > 0 && ends < last+d.window/2 && last > d.now-d.window/2 && ends > last-d.window/2:
		// The same, or nobody knows.
	default:
		d.entry.Ends = ends
		d.entry.Turn++
	}
}

func (d *division) isOpen(ends int64) bool {
	return d.entry.Ends > 0 && max(ends-d.entry.Ends, d.entry.Ends-ends) < d.window/2
}

// used is what a member that is gone has used in the open window, or may have since it last told.
func (d *division) used(u *usage, left bool) int64 {
	if left {
		return u.Used
	}
	rest := float64(max(u.Units-u.Used, 0))
	part := float64(renewEvery.Milliseconds()) / float64(max(d.entry.Ends-d.now+leaseFor.Milliseconds(), 1))
	return u.Used + int64(math.Ceil(rest*min(part, 1)))
}

// until is when a member has sent its last request, at the latest: it may have gone on after its
// record if it has crashed.
func (m *member) until() int64 {
	if m.told.Left {
		return m.at
	}
	return m.at + renewEvery.Milliseconds()*11/10
}

// counts reports whether what a member that is gone has used of a window still matters: one that is
// open, or one that began after its last record.
func (m *member) counts(u *usage, now int64) bool {
	return u.Ends > now && u.Ends-now < 2*u.Window || u.Ends > 0 && u.Ends < m.until() && u.Ends+u.Window > now
}

// unseen is what a member that is gone may have used of the open window if it did not know of it
// when it told last.
func (d *division) unseen(u *usage, m *member) int64 {
	rest := m.until() - (d.entry.Ends - d.window)
	if d.entry.Ends == 0 || rest <= 0 || rest > d.window {
		return 0
	}
	return int64(math.Ceil(float64(u.Next) * float64(rest) / float64(d.window)))
}

// divide returns the parts, in the order of d.shares.
func (d *division) divide() []part {
	quota := float64(d.quota)
	each := make([]claim, len(d.shares))
	now := make([]claim, len(d.shares))
	least := keptShare * quota / float64(max(len(d.shares), 1))
	for i := range d.shares {
		u := d.shares[i].usage
		each[i] = claim{most: max(least, min(u.Each, quota))}
		if u.Busy {
			each[i].most = quota
		}
		now[i] = d.claimNow(&d.shares[i], each[i].most)
	}
	standing := divide(each, quota)
	next := whole(standing, d.entry.Turn+1)
	var open []int64
	if d.entry.Ends > 0 {
		parts := divide(now, max(0, quota-float64(d.gone+d.others())))
		open = whole(parts, d.entry.Turn)
	} else {
		open = whole(standing, d.entry.Turn)
		next = open
	}
	return d.grant(standing, open, next)
}

// claimNow is what a member claims of the open window.
func (d *division) claimNow(s *share, each float64) claim {
	if !s.open {
		return claim{most: each}
	}
	used := float64(s.usage.Used)
	if s.usage.Busy {
		return claim{least: used, most: max(used, float64(d.quota))}
	}
	return claim{least: used, most: used + s.usage.Rest}
}

// others is what is used of the open window by who is not of the fleet, as far as what
// the server told is more than members may have used meanwhile.
func (d *division) others() int64 {
	if d.remaining < 0 || d.told <= d.entry.Ends-d.window {
		return 0
	}
	used := d.gone
	for i := range d.shares {
		if d.shares[i].open {
			used += d.shares[i].usage.Used
		}
	}
	meanwhile := 2 + float64(d.quota)*2.5*float64(renewEvery.Milliseconds())/float64(d.window)
	return max(0, d.quota-d.remaining-used-int64(meanwhile))
}

// grant gives each member its part, as far as others have given it back.
func (d *division) grant(standing []float64, open, next []int64) []part {
	freeUnits, freeNext, freeShare := d.quota-d.gone, d.quota, 1.0
	for i := range d.shares {
		m := &d.shares[i].most
		freeUnits, freeNext, freeShare = freeUnits-m.MostUnits, freeNext-m.MostNext, freeShare-m.MostShare
	}
	parts := make([]part, len(d.shares))
	for i := range d.shares {
		most, share := &d.shares[i].most, min(standing[i]/float64(d.quota), 1)
		p := part{
			ID: d.entry.ID, Ends: d.entry.Ends,
			Units: raise(open[i], most.MostUnits, &freeUnits),
			Next:  raise(next[i], most.MostNext, &freeNext),
			Share: raise(share, most.MostShare, &freeShare),

			Remaining: d.remaining, Told: d.told, Held: d.held,
		}
		p.Full = d.shares[i].usage.Busy && p.Share >= 0.9*share && p.Units >= open[i]
		p.MostUnits, p.MostNext, p.MostShare = max(p.Units, most.MostUnits), max(p.Next, most.MostNext), max(p.Share, most.MostShare)
		parts[i] = p
	}
	return parts
}

// raise returns what a member gets that is to have so much and has had at most so much
// before: not more than what is free.
func raise[N int64 | float64](to, most N, free *N) N {
	if to <= most {
		return to
	}
	more := min(to-most, max(*free, 0))
	*free -= more
	return most + more
}

// limit is what a record tells of that limit; nil if nothing.
func (r *record) limit(id string) *usage {
	for i := range r.Limits {
		if r.Limits[i].ID == id {
			return &r.Limits[i]
		}
	}
	return nil
}

// most is the most that a member can go by now: what it was told last if its record has come
// since, because it was told with the answer to that; else the most of what it has been told.
func (d *division) most(s *share, m *member, written int64) part {
	u := s.usage
	most := part{MostUnits: u.Units, MostNext: u.Next, MostShare: u.Share}
	if last := m.last.limit(d.entry.ID); last != nil {
		most = *last
		if m.at > written {
			most.MostUnits, most.MostNext, most.MostShare = last.Units, last.Next, last.Share
		}
		if !d.isOpen(last.Ends) { // that was another window
			most.MostUnits = most.MostNext
		}
	}
	if s.open {
		most.MostUnits = max(most.MostUnits, u.Used)
	}
	return most
}

func (a *agreement) limit(id string) *part {
	for i := range a.Limits {
		if a.Limits[i].ID == id {
			return &a.Limits[i]
		}
	}
	return nil
}
