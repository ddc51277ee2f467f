package pacer

import (
	"slices"
	"strings"

	"github.com/headway-go/headway/limits"
)

// MaxOthers is how many quota units besides requests one partition counts at most,
// because servers choose their names. Limits in further units are not paced.
const MaxOthers = 3

// MostCost is the most that a request can cost; more counts as that. It keeps sums
// of costs within int64.
const MostCost = 1 << 40

// A Cost is what a request uses: how much of each unit that its partition counts, and
// of which limits. Negative is not known: 1 request, and of other units what requests
// were seen to use.
type Cost struct {
	Requests int64             // 0: free
	Others   *[MaxOthers]int64 // of the units that Units names; nil: not known
	Route    uint8             // see MaxRoutes; 0: not known, or the partition has but one
	Key      string            // the partition key of the quotas that it uses, long or as its ShortName; "": not known
	Since    Instant           // since when it waits, which counts for a new route; 0: it does not
}

// of is what it uses of a unit, by its index; negative: not known. Of requests it is known.
func (c *Cost) of(unit uint8) int64 {
	switch {
	case unit > 0 && c.Others == nil:
		return Unknown
	case unit > 0:
		return c.Others[unit-1]
	case c.Requests < 0:
		return 1
	}
	return min(c.Requests, MostCost)
}

// charge is what a request of that cost is charged of the limit, in [0, MostCost].
func (l *limit) charge(cost *Cost) int64 {
	if l.estimate == nil {
		return cost.of(0)
	}
	return l.estimate.charge(cost.of(l.unit))
}

// Units names the units that the partition counts besides requests by their ShortNames, in the order of
// their costs in Cost.Others. It only grows; the caller must not write to it. Of
// limits.ContentBytes, what responses have counts as well, see Transferred.
// limits.ConcurrentRequests are none of them: they are not paced, but bound what is in flight.
func (p *Partition) Units() []limits.Unit { return as(p.rare).units }

// unit returns the index of a unit: 0 for requests, else one more than that in
// Units. It takes the unit up if there is room; else ok is false.
func (p *Partition) unit(name limits.Unit) (index uint8, ok bool) {
	if name == "" || name == limits.Requests {
		return 0, true
	}
	name = ShortName(name) // as a snapshot may have another one
	names := p.Units()
	i := slices.Index(names, name)
	if i < 0 {
		if len(names) == MaxOthers {
			return 0, false
		}
		i = len(names)
		made(&p.rare).units = append(slices.Clip(names), limits.Unit(strings.Clone(string(name))))
	}
	return uint8(i + 1), true
}

func (p *Partition) unitName(index uint8) limits.Unit {
	if index == 0 {
		return limits.Requests
	}
	return p.rare.units[index-1]
}

// ByteLimits is the set of limits that the content of the response to a request
// counts for, see Transferred. It is empty if there are none.
func (p *Partition) ByteLimits(t *Ticket) LimitSet { return p.applying(t) & p.inBytes() }

func (p *Partition) inBytes() LimitSet {
	return p.those(func(l *limit) bool { return p.unitName(l.unit) == limits.ContentBytes })
}

// Transferred records that the content of a response had n bytes, 0 if n is negative
// and MostCost at most. They count for those limits from the next request on, until an
// answer tells what is left (what was expected of it was until its own answer told), and
// as many are expected of others.
func (p *Partition) Transferred(of LimitSet, n int64) {
	n = min(max(n, 0), MostCost)
	for _, l := range p.each(of & p.inBytes()) { // another limit may have taken the place since
		l.units += n
		l.estimate.transferred(n)
	}
}
