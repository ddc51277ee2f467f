package pacer

import (
	"slices"
	"strings"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/pacer/internal/cost"
)

// MaxOthers is how many quota units besides requests a partition stores. Servers choose the names of units, so their
// number must be bounded. Limits in further units are ignored.
const MaxOthers = 3

// MostCost is the largest cost of a request; more counts as MostCost. So sums of costs do not overflow int64.
const MostCost = cost.Most

// A Cost says what a request uses: how much of each unit, and of which limits. A negative number is unknown: it counts
// as 1 request, or as the usual cost in another unit.
type Cost struct {
	Requests int64             // 0: free
	Others   *[MaxOthers]int64 // in the order of Units; nil: unknown
	Route    uint8             // see MaxRoutes; 0: unknown, or the only one
}

// of returns the cost in the unit with that index; negative: unknown. In requests it is never negative.
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

// Units returns the units besides requests, named as in Answer.Limits, in the order of Cost.Others. The list only grows,
// and the caller must not modify it. limits.ContentBytes counts the content of responses as well, see Transferred.
// limits.ConcurrentRequests is not in the list: it bounds the requests in flight.
func (p *Partition) Units() []limits.Unit { return p.units }

// unit returns the index of a unit: 0 for requests, otherwise one more than in Units. It adds an unknown unit; ok is
// false if there is no room.
func (p *Partition) unit(name limits.Unit) (index uint8, ok bool) {
	if name == "" || name == limits.Requests {
		return 0, true
	}
	i := slices.Index(p.units, name)
	if i < 0 {
		if len(p.units) == MaxOthers {
			return 0, false
		}
		i = len(p.units)
		p.units = append(slices.Clip(p.units), limits.Unit(strings.Clone(string(name))))
	}
	return uint8(i + 1), true
}

func (p *Partition) unitName(index uint8) limits.Unit {
	if index == 0 {
		return limits.Requests
	}
	return p.units[index-1]
}

// ByteLimits returns the limits that count the content of the response to a request, see Transferred. It is empty if
// there are none.
func (p *Partition) ByteLimits(t *Ticket) LimitSet { return p.applying(t) & p.inBytes() }

func (p *Partition) inBytes() LimitSet {
	return p.limitsWhere(func(l *known) bool { return p.unitName(l.Unit) == limits.ContentBytes })
}

// Transferred records that the content of a response had n bytes; negative counts as 0, more than MostCost as MostCost.
// The bytes count for those limits from the next request on, until a response reports what remains. They also change
// the expected size of later responses.
func (p *Partition) Transferred(of LimitSet, n int64) {
	bytes := float64(min(max(n, 0), MostCost))
	for _, l := range p.each(of & p.inBytes()) { // another limit may have the place by now
		l.Count(p.latest, bytes)
		l.Cost.Transferred(bytes)
	}
}
