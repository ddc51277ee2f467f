package ratelimittest

import (
	"cmp"
	"slices"
)

// tightest returns the limit that a dialect with room for one reports. Numbers in
// different units do not compare, as a million bytes may be less than ten requests:
// of those the one with the least part of its quota left is the next to run out.
func (d Decision) tightest() (Limit, bool) {
	limits := d.tightestPerUnit()
	if len(limits) == 0 {
		return Limit{}, false
	}
	return slices.MinFunc(limits, func(a, b Limit) int {
		return cmp.Or(cmp.Compare(a.left(), b.left()), cmp.Compare(b.Reset, a.Reset))
	}), true
}

// tightestPerUnit returns one limit for each unit: the one with the least left,
// which a client comes up against first, however large its quota.
func (d Decision) tightestPerUnit() []Limit {
	var tightest []Limit
	for _, l := range d.Limits {
		same := func(x Limit) bool { return dimension(x.Unit) == dimension(l.Unit) }
		i := slices.IndexFunc(tightest, same)
		switch {
		case i < 0:
			tightest = append(tightest, l)
		case cmp.Or(cmp.Compare(l.Remaining, tightest[i].Remaining), cmp.Compare(tightest[i].Reset, l.Reset)) < 0:
			tightest[i] = l
		}
	}
	return tightest
}

// left returns the part of the quota that remains; all that remains where there is
// no quota.
func (l Limit) left() float64 { return float64(l.Remaining) / float64(max(l.Quota, 1)) }
