package ratelimittest

import (
	"cmp"
	"slices"
	"strings"
)

// tightest returns the limit for a dialect with room for one. Limits in different units are compared by the
// remaining share of the quota, because a million bytes may be less than ten requests. The smallest share is
// likely to run out first.
func (d Decision) tightest() (Limit, bool) {
	limits := d.tightestPerUnit()
	if len(limits) == 0 {
		return Limit{}, false
	}
	share := func(l Limit) float64 { return float64(l.Remaining) / float64(max(l.Quota, 1)) }
	return slices.MinFunc(limits, func(a, b Limit) int {
		return cmp.Or(cmp.Compare(share(a), share(b)), cmp.Compare(b.Reset, a.Reset))
	}), true
}

// tightestPerUnit returns one limit for each unit: the one with the fewest remaining units. A client reaches
// it first, whatever its quota.
func (d Decision) tightestPerUnit() []Limit {
	var tightest []Limit
	for _, l := range d.Limits {
		i := slices.IndexFunc(tightest, func(x Limit) bool { return dimension(x.Unit) == dimension(l.Unit) })
		switch {
		case i < 0:
			tightest = append(tightest, l)
		case cmp.Or(cmp.Compare(l.Remaining, tightest[i].Remaining), cmp.Compare(tightest[i].Reset, l.Reset)) < 0:
			tightest[i] = l
		}
	}
	return tightest
}

// dimension returns a quota unit as a part of field names.
func dimension(unit string) string {
	return strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_' {
			return c
		}
		return '-'
	}, strings.ToLower(cmp.Or(unit, unitRequests)))
}
