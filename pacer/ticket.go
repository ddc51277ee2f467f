package pacer

import "cmp"

// A Ticket identifies one request that was sent. Send sets it, and every later event of the request needs it.
// It matches the request with its response.
//
// An example: a request uses the tenth unit of a limit, and 15 units have been sent when its response comes.
// Then five units were sent later, and r may include some of them.
type Ticket struct {
	sent   Instant
	seq    uint64
	beside int64 // other requests in flight when it was sent: responses may overtake each other
	route  uint8
	cost   int64    // in requests
	probe  bool     // it was sent early, although limits of its route seemed to be held
	look   bool     // it was sent as a second look
	key    string   // its partition key; "": unknown
	uses   LimitSet // the limits that it was charged for
	few    [usualLimits]charge
	more   []charge // of the limits beyond usualLimits
}

// usualLimits is how many limits most requests use at most. Fewer: more requests need an allocation. More:
// each makes tickets 24 bytes larger.
const usualLimits = 2

// A charge is the cost of one request for one limit.
type charge struct {
	cost  int64
	units int64  // own units of the limit in all, including this request
	nth   uint32 // number among the requests with estimated costs
}

// at returns the charge for the limit at place i, which the request uses.
func (t *Ticket) at(i int) *charge {
	k := t.uses.rank(i)
	if k < usualLimits {
		return &t.few[k]
	}
	return &t.more[k-usualLimits]
}

// of returns the charge for the limit l at place i. It is nil if there is none: the place may have had
// another limit when the request was sent.
func (t *Ticket) of(l *limit, i int) *charge {
	if t.uses&placeOf(i) == 0 || t.seq <= l.born {
		return nil
	}
	return t.at(i)
}

// A charged is a charge, and the units of concurrent requests that its response may or may not count.
type charged struct {
	charge
	ahead  int64 // units sent later, which the response may include already
	behind int64 // units in flight when it was sent, which the response may not include yet
}

// of sets c to the charge of a request for the limit l at place i; seq is the number of requests sent by now.
// It returns false if the request was not charged for that limit.
func (c *charged) of(t *Ticket, l *limit, i int, seq uint64) (isKnown bool) {
	own := t.of(l, i)
	if own == nil { // it is unknown which of the later requests the response includes
		beside := t.beside + int64(seq-t.seq)
		*c = charged{charge{units: l.units, nth: cmp.Or(l.estimate, &estimate{}).sent}, beside, beside}
		return false
	}
	c.cost, c.nth = own.cost, own.nth
	c.units = min(own.units+int64(l.missed), l.units) // earlier requests may have been cancelled
	c.ahead, c.behind = l.units-c.units, t.beside*max(own.cost, 1)
	return true
}
