package fleet

import (
	"cmp"
	"math"
	"slices"
)

// A division divides one limit among the members.
type division struct {
	now            int64
	quota, window  int64
	entry          entry
	shares         []holder // busy ones first, so that changing needs of others do not shift the units of busy members
	refills        bool     // the limit has no windows
	reported, held int64
	remaining      int64
	gone           int64 // units of the open window that dead members used
}

// A holder is one member with a share of the limit.
type holder struct {
	id    string
	usage *usage
	open  bool // the window that the member reports is the open one
	most  part // the largest parts that the member may be using
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
			d.learn(u)
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
	for i := range d.shares { // after d.open, as both calls need the open window
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
			d.gone += d.usedUnseen(u, &m)
		}
	}
	return d
}

// learn takes over a member's report if it is newer than the others'.
func (d *division) learn(u *usage) {
	newer := u.Reported > d.reported && u.Reported <= d.now+leaseFor.Milliseconds()
	if u.Reset > 0 { // each member has seen a part of the window
		d.window = max(d.window, u.Reset)
	} else if newer || d.quota == 0 {
		d.window = u.Window
	}
	if newer || d.quota == 0 {
		d.quota = u.Quota
	}
	if newer {
		d.reported, d.remaining = u.Reported, u.Remaining
	}
	d.held, d.refills = max(d.held, u.Held), d.refills || u.Refills
}

// open determines the open window: of those that members report, the one that ends last.
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
	if ends > 0 && !d.isOpen(ends) { // otherwise it is still the same window, or no member knows one
		if d.entry.Ends <= d.now+renewEvery.Milliseconds() { // otherwise the same window turns out to be longer
			d.entry.Turn++
		}
		d.entry.Ends = ends
	}
}

func (d *division) isOpen(ends int64) bool {
	return d.entry.Ends > 0 && max(ends-d.entry.Ends, d.entry.Ends-ends) < d.window/2
}

// used returns the most that a dead member has used in the open window. A crashed member may have sent more
// since its last record.
func (d *division) used(u *usage, left bool) int64 {
	if left {
		return u.Used
	}
	rest := float64(max(u.Units-u.Used, 0))
	part := float64(renewEvery.Milliseconds()) / float64(max(d.entry.Ends-d.now+leaseFor.Milliseconds(), 1))
	return u.Used + int64(math.Ceil(rest*min(part, 1)))
}

// usedUnseen returns what a dead member may have used of the open window, if that began after its last record.
func (d *division) usedUnseen(u *usage, m *member) int64 {
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
	least := idleReserve * quota / float64(max(len(d.shares), 1))
	for i := range d.shares {
		u := d.shares[i].usage
		each[i] = claim{most: max(least, min(u.Each, quota))}
		if u.Busy {
			each[i].most = quota
		}
	}
	perWindow := fill(each, quota)
	for i := range d.shares {
		now[i] = d.claimNow(&d.shares[i], each[i].most, perWindow[i])
	}
	next := whole(perWindow, d.entry.Turn+1)
	var open []int64
	if d.entry.Ends > 0 {
		parts := fill(now, max(0, quota-float64(d.gone+d.outsideUse())))
		open = whole(parts, d.entry.Turn)
	} else {
		open = next
	}
	return d.grant(perWindow, open, next)
}

// claimNow returns what a member claims of the open window. each is its claim on any window, and perWindow is its
// part of any window.
func (d *division) claimNow(s *holder, each, perWindow float64) claim {
	if !s.open {
		return claim{most: each}
	}
	used := float64(s.usage.Used)
	if s.usage.Busy {
		least := used
		if used <= math.Ceil(perWindow) { // its part was rounded up by less than one unit, which it need not return
			least = min(used, perWindow)
		}
		return claim{least: least, most: max(used, float64(d.quota))}
	}
	return claim{least: used, most: used + s.usage.Rest}
}

// outsideUse returns how many units of the open window clients outside the fleet have used. It is the use that
// the server reports, less the members' use, and less the most that members may not have reported yet.
func (d *division) outsideUse() int64 {
	if d.remaining < 0 || d.reported <= d.entry.Ends-d.window {
		return 0
	}
	used, underWay := d.gone, int64(0)
	for i := range d.shares {
		s, own := &d.shares[i], int64(0)
		if s.open {
			own = s.usage.Used
		}
		used += own
		underWay += min(minUnreported, max(s.most.MostUnits-own, 0))
	}
	meanwhile := float64(d.quota) * float64(unreportedFor.Milliseconds()) / float64(d.window)
	return max(0, d.quota-d.remaining-used-max(underWay, minUnreported)-int64(min(meanwhile, mostUnits)))
}

// grant returns each member's part. Raises are limited to the units that others have given back.
func (d *division) grant(perWindow []float64, open, next []int64) []part {
	freeUnits, freeNext, freeShare := d.quota-d.gone, d.quota, 1.0
	for i := range d.shares {
		m := &d.shares[i].most
		freeUnits, freeNext, freeShare = freeUnits-m.MostUnits, freeNext-m.MostNext, freeShare-m.MostShare
	}
	parts := make([]part, len(d.shares))
	for i := range d.shares {
		most, share := &d.shares[i].most, min(perWindow[i]/float64(d.quota), 1)
		p := part{
			ID: d.entry.ID, Window: d.window, Ends: d.entry.Ends,
			Units: raise(open[i], most.MostUnits, &freeUnits),
			Next:  raise(next[i], most.MostNext, &freeNext),
			Share: raise(share, most.MostShare, &freeShare),

			Refills: d.refills, Remaining: d.remaining, Reported: d.reported, Held: d.held,
		}
		p.Full = d.shares[i].usage.Busy && p.Share >= nearlyAll*share && p.Units >= open[i]
		p.MostUnits, p.MostNext, p.MostShare = max(p.Units, most.MostUnits), max(p.Next, most.MostNext), max(p.Share, most.MostShare)
		parts[i] = p
	}
	return parts
}

// raise returns a member's new part. It is to, unless that is above most, which the member may be using already.
// What is above most comes from free, as far as free suffices.
func raise[N int64 | float64](to, most N, free *N) N {
	if to <= most {
		return to
	}
	raised := min(to-most, max(*free, 0))
	*free -= raised
	return most + raised
}

// most returns the largest parts that a member may be using. If its record is newer than its last agreement,
// these are that agreement's parts, as the reply to its record contained them. Otherwise they include those
// of earlier agreements.
func (d *division) most(s *holder, m *member, written int64) part {
	u := s.usage
	most := part{MostUnits: u.Units, MostNext: u.Next, MostShare: u.Share}
	if last := m.last.limit(d.entry.ID); last != nil {
		most = *last
		if m.at > written {
			most.MostUnits, most.MostNext, most.MostShare = last.Units, last.Next, last.Share
		}
		if !d.isOpen(last.Ends) { // the agreement was for another window
			most.MostUnits = most.MostNext
		}
	}
	if s.open {
		most.MostUnits = max(most.MostUnits, u.Used)
	}
	return most
}
