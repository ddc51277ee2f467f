package pacer

import "time"

// A Ticket is one request that was sent: what Send returns and what every
// later event about that request names.
type Ticket struct {
	sent   Instant
	seq    uint64
	beside int64 // requests in flight when it was sent: their answers may overtake each other
	route  uint8
	probe  bool          // it was let go although what it is thought to use was held
	owed   float32       // by the request before
	key    string        // its partition key; "": not known
	step   time.Duration // how far it moved the partition's pace line

	uses LimitSet
	few  [usualLimits]charge // of the first limits of uses
	more []charge            // of the others
}

// usualLimits is how many limits a request mostly uses at most. For more of them it
// takes an allocation to send it.
const usualLimits = 2

// A charge is what a request was charged of one limit.
type charge struct {
	cost  int64
	units int64         // of the limit, sent in all, this request's included
	step  time.Duration // how far it moved the limit's pace line, idle time not counted
	owed  float32       // by the request before it
	nth   uint32        // of the requests whose costs are estimated
}

// next returns the charge of the k-th limit that the request uses, to be filled in. (To
// copy one takes longer than all that is done with it.)
func (t *Ticket) next(k int) *charge {
	if k < usualLimits {
		return &t.few[k]
	}
	t.more = append(t.more, charge{})
	return &t.more[k-usualLimits]
}

// of returns the charge of the limit at place i, which the request uses.
func (t *Ticket) of(i int) *charge {
	k := t.uses.rank(i)
	if k < usualLimits {
		return &t.few[k]
	}
	return &t.more[k-usualLimits]
}

// charged is what the request was charged of the limit l, which is kept at place i: its
// cost, the units and the requests up to it.
func (t *Ticket) charged(l *limit, i int) (cost, units int64, nth uint32) {
	switch {
	case t.seq <= l.born: // when it was sent the limit was not known, see newLimit
		return 1, int64(t.seq), uint32(t.seq)
	case t.uses&placeOf(i) == 0: // it was not thought to use it
		return 0, l.units, l.estimate.count()
	}
	c := t.of(i)
	return c.cost, min(c.units, l.units), c.nth // some sent before it may have been cancelled
}
