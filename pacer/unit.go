package pacer

import (
	"slices"
	"strings"
)

// MaxOthers is how many quota units besides requests one partition counts at most,
// because servers choose their names. Limits in further units are not paced.
const MaxOthers = 3

// MostCost is the most that a request can cost; more counts as that. It keeps sums
// of costs within int64.
const MostCost = 1 << 40

// The quota units that draft-ietf-httpapi-ratelimit-headers-10 §3.1.2 names; servers
// add others. Of ContentBytes, what responses have counts as well, see Transferred.
// ConcurrentRequests are not paced: they bound what is in flight.
const (
	requests           = "requests"
	ContentBytes       = "content-bytes"
	ConcurrentRequests = "concurrent-requests"
)

// A Cost is what a request uses of each unit that its partition counts. Negative is
// not known: 1 request, and of other units what requests were seen to use.
type Cost struct {
	Requests int64             // 0: free
	Others   *[MaxOthers]int64 // of the units that Units names; nil: not known
}

// A tally counts one unit.
type tally struct {
	sent int64 // units sent
	owed int64 // what the last request cost: so many gaps until the next slot
}

// A charge is what a request was charged of one unit.
type charge struct {
	cost  int64
	units int64 // sent in all, this request included
	owed  int64 // before it
}

// others are the tallies of all units but requests. Few partitions have any.
type others struct {
	names     []string // never written to, only replaced
	tallies   [MaxOthers]tally
	estimates [MaxOthers]estimate
}

// Units names the units that the partition counts besides requests, in the order of
// their costs in Cost.Others. It only grows; the caller must not write to it.
func (p *Partition) Units() []string {
	if p.others == nil {
		return nil
	}
	return p.others.names
}

// unit returns the index of a unit: 0 for requests, else one more than that in
// others. It takes the unit up if there is room; else ok is false.
func (p *Partition) unit(name string) (index uint8, ok bool) {
	if name == "" || name == requests {
		return 0, true
	}
	names := p.Units()
	i := slices.Index(names, name)
	if i < 0 {
		if len(names) == MaxOthers {
			return 0, false
		}
		if p.others == nil {
			p.others = &others{}
		}
		i = len(names)
		p.others.names = append(slices.Clip(names), strings.Clone(name))
	}
	return uint8(i + 1), true
}

// tally returns the count of a unit, by its index.
func (p *Partition) tally(unit uint8) *tally {
	if unit == 0 {
		return &p.requests
	}
	return &p.others.tallies[unit-1]
}

// charge is what the request was charged of a unit, by its index.
func (t *Ticket) charge(unit uint8) charge {
	switch {
	case unit == 0:
		return t.requests
	case t.others == nil: // the unit was not known yet
		return charge{}
	}
	return t.others[unit-1]
}

// charge is what a request of that cost is charged of a unit, by its index, in
// [0, MostCost].
func (p *Partition) charge(cost *Cost, unit uint8) int64 {
	switch {
	case unit == 0 && cost.Requests < 0:
		return 1
	case unit == 0:
		return min(cost.Requests, MostCost)
	case cost.Others == nil:
		return p.others.estimates[unit-1].charge(Unknown)
	}
	return p.others.estimates[unit-1].charge(cost.Others[unit-1])
}

// take notes that a request of that cost is sent.
func (n *tally) take(cost int64) charge {
	n.sent += cost
	c := charge{cost: cost, units: n.sent, owed: n.owed}
	n.owed = cost
	return c
}

// charged notes that a request of that cost is sent, in t as well.
func (p *Partition) charged(cost *Cost, t *Ticket) {
	t.requests = p.requests.take(p.charge(cost, 0))
	if p.others == nil {
		return
	}
	t.others = &[MaxOthers]charge{}
	for i := range p.others.names {
		t.others[i] = p.others.tallies[i].take(p.charge(cost, uint8(i+1)))
	}
}

// uncharged takes that back, and what is owed too if no request came after it.
func (p *Partition) uncharged(t *Ticket, last bool) {
	for i := range 1 + len(p.Units()) {
		n, c := p.tally(uint8(i)), t.charge(uint8(i))
		n.sent -= c.cost
		if last {
			n.owed = c.owed
		}
	}
}

// forgetOwed forgets what the last request cost: the pace line was moved.
func (p *Partition) forgetOwed() {
	for i := range 1 + len(p.Units()) {
		p.tally(uint8(i)).owed = 0
	}
}
