package fleet

import (
	"cmp"
	"math"
	"slices"
)

// A division is how one limit is divided.
type division struct {
	now           int64
	quota, window int64
	entry         entry
	shares        []holder // those who need all that they can get first, so that others' needs do not move their units
	refills       bool     // it has no windows
	heard, held   int64
	remaining     int64
	gone          int64 // units of the open window that members used which are no more
}

// A holder is one member that has a share.
type holder struct {
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
		if u := m.record.limit(name); u != nil {
			d.shares = append(d.shares, holder{id: id, usage: u})
			d.hear(u)
		}
	}
	slices.SortStableFunc(d.shares, func(a, b holder) int {
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
		if u := m.record.limit(name); u != nil && d.isOpen(u.Ends) {
			d.gone += d.used(u, m.record.Left)
		} else if u != nil {
			d.gone += d.unseen(u, &m)
		}
	}
	return d
}

// hear takes over what a member knows that is newer than what others know.
func (d *division) hear(u *usage) {
	newer := u.Told > d.heard && u.Told <= d.now+leaseFor.Milliseconds()
	if newer || d.quota == 0 {
		d.quota, d.window = u.Quota, u.Window
	}
	if newer {
		d.heard, d.remaining = u.Told, u.Remaining
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

// unseen is what a member that is gone may have used of the open window if it did not know of it
// when it told last.
func (d *division) unseen(u *usage, m *member) int64 {
	rest := m.until() - (d.entry.Ends - d.window)
	if rest <= 0 || rest > d.window {
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
	}
	standing := fill(each, quota)
	for i := range d.shares {
		now[i] = d.claimNow(&d.shares[i], each[i].most, standing[i])
	}
	next := whole(standing, d.entry.Turn+1)
	var open []int64
	if d.entry.Ends > 0 {
		parts := fill(now, max(0, quota-float64(d.gone+d.others())))
		open = whole(parts, d.entry.Turn)
	} else {
		open = whole(standing, d.entry.Turn)
		next = open
	}
	return d.grant(standing, open, next)
}

// claimNow is what a member claims of the open window, who has that much of each one.
func (d *division) claimNow(s *holder, each, standing float64) claim {
	if !s.open {
		return claim{most: each}
	}
	used := float64(s.usage.Used)
	if s.usage.Busy {
		least := used
		if used <= math.Ceil(standing) { // the unit by which its part was rounded up is not one more
			least = min(used, standing)
		}
		return claim{least: least, most: max(used, float64(d.quota))}
	}
	return claim{least: used, most: used + s.usage.Rest}
}

// others is what is used of the open window by who is not of the fleet, as far as what
// the server told is more than members may have used meanwhile.
func (d *division) others() int64 {
	if d.remaining < 0 || d.heard <= d.entry.Ends-d.window {
		return 0
	}
	used := d.gone
	for i := range d.shares {
		if d.shares[i].open {
			used += d.shares[i].usage.Used
		}
	}
	meanwhile := leastUntold + float64(d.quota)*float64(untoldFor.Milliseconds())/float64(d.window)
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

			Refills: d.refills, Remaining: d.remaining, Told: d.heard, Held: d.held,
		}
		p.Full = d.shares[i].usage.Busy && p.Share >= nearlyAll*share && p.Units >= open[i]
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

// most is the most that a member can go by now: what it was told last if its record has come
// since, because it was told with the answer to that; else the most of what it has been told.
func (d *division) most(s *holder, m *member, written int64) part {
	u := s.usage
	most := part{MostUnits: u.Units, MostNext: u.Next, MostShare: u.Share}
	if last := m.told.limit(d.entry.ID); last != nil {
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
