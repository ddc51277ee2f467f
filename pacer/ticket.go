package pacer

import "cmp"

// A Ticket is one request that was sent: what Send returns and what every
// later event about that request names.
//
// Say it is the tenth unit of a limit, and 15 units have been sent when its answer comes. Then five were
// sent later, and r may count some of them already.
type Ticket struct {
	sent   Instant
	seq    uint64
	beside int64 // requests in flight when it was sent: their answers may overtake each other
	route  uint8
	cost   int64    // of limits on requests
	probe  bool     // it was let go although what it is thought to use was held
	look   bool     // as a second look
	key    string   // its partition key; "": not known
	uses   LimitSet // the limits that it was charged of
	few    [usualLimits]charge
	more   []charge // of the others
}

// usualLimits is how many limits a request mostly uses at most: for more of them it takes an
// allocation to send it, and each makes tickets 24 bytes larger.
const usualLimits = 2

// A charge is what a request was charged of one limit.
type charge struct {
	cost  int64
	units int64  // of the limit, sent in all, this request's included
	nth   uint32 // of the requests whose costs are estimated
}

// at is what the request is charged of the limit at place i, which it uses.
func (t *Ticket) at(i int) *charge {
	k := t.uses.rank(i)
	if k < usualLimits {
		return &t.few[k]
	}
	return &t.more[k-usualLimits]
}

// of is what the request was charged of the limit l at place i, or nil: another one may have been there when it
// was sent.
func (t *Ticket) of(l *limit, i int) *charge {
	if t.uses&placeOf(i) == 0 || t.seq <= l.born {
		return nil
	}
	return t.at(i)
}

// charged is what a request was charged of a limit, beside others.
type charged struct {
	charge
	ahead  int64 // units sent after it, which its answer may count already
	behind int64 // units that were in flight when it was sent, which its answer may not count yet
}

// of sets it to what the request was charged of the limit l at place i, seq requests having been sent by now. It
// reports false if the request was not thought to use that limit.
func (c *charged) of(t *Ticket, l *limit, i int, seq uint64) (isKnown bool) {
	own := t.of(l, i)
	if own == nil { // which of those that were sent since it has counted is not known
		beside := t.beside + int64(seq-t.seq)
		*c = charged{charge{units: l.units, nth: cmp.Or(l.estimate, &estimate{}).sent}, beside, beside}
		return false
	}
	c.cost, c.nth = own.cost, own.nth
	c.units = min(own.units+int64(l.missed), l.units) // some sent before it may have been cancelled
	c.ahead, c.behind = l.units-c.units, t.beside*max(own.cost, 1)
	return true
}
