package pacer

import (
	"strings"
	"time"
)

// Unknown stands for a number or duration that a server did not tell. It is
// never 0: zero remaining is an exhausted quota, zero reset is now.
const Unknown = -1

// The defaults that a zero Config stands for.
const (
	DefaultBurst  = 0.1
	DefaultJitter = 0.1
)

// maxLimits bounds the limits that one partition keeps, because servers choose
// their names. The one told longest ago goes first.
const maxLimits = 16

// Config is what the caller chooses for all partitions.
type Config struct {
	// Burst is the share of a quota that may be sent unspaced after idling.
	// 0 is DefaultBurst with a floor of 10 requests or a quarter of the quota,
	// whichever is less; negative is none: strictly even.
	Burst float64
	// Jitter is the share of an interval by which a slot is moved either way.
	// 0 is DefaultJitter; negative is none; more than 1 is 1.
	Jitter float64
}

// swing is how far a slot may be moved, as a share of its interval.
func (c *Config) swing() float64 {
	switch {
	case c.Jitter == 0:
		return DefaultJitter
	case c.Jitter < 0:
		return 0
	}
	return min(c.Jitter, 1)
}

// A Ticket is one request that was sent: what Send returns and what every
// later event about that request names.
type Ticket struct {
	sent  Instant
	seq   uint64
	units int64 // sent in all, this request included
	cost  int64
	moved time.Duration // how far it moved the pace line
}

// An Answer is what a response says about limits.
type Answer struct {
	Limits     []Limit
	RetryAfter time.Duration // Unknown when absent
	Refused    bool          // the request was refused because of a limit
	Overloaded bool          // refused with a 503: too many at once rather than too fast
}

// A Limit is one limit as a response tells it. Strings are copied when kept.
type Limit struct {
	Policy, PartitionKey string
	Concurrent           bool          // the quota counts requests in flight (concurrent-requests)
	Quota, Remaining     int64         // Unknown when not told
	Window, Reset        time.Duration // Unknown when not told; Reset counts from receipt
}

// A Plan says when a request may go.
type Plan struct {
	At     Instant // earliest start; not after now: it may go at once
	Policy string  // the policy that makes it wait; "" if none, or none is named
	Known  bool    // At rests on what a server told; false while it is only the caution of a cold start
}

// A Partition is the pacing state of one partition. It holds no clock, lock,
// timer or goroutine: the caller serialises its calls and passes now and
// uniform random numbers u in [0, 1).
type Partition struct {
	cfg *Config

	seq     uint64 // requests sent
	applied uint64 // the newest request whose answer was applied
	units   int64  // units sent

	base  Instant // the pace line: the slot of the last request
	floor Instant // where the last used-up window let the line start anew
	owed  int64   // what the last request cost: so many gaps until the next slot
	swing float64 // jitter of the next slot, in [−1, 1)

	limits []limit
	places places
	hold   hold
	trial  trial
}

// New returns a partition of which nothing is known. cfg is kept, not copied,
// and not written to.
func New(cfg *Config) Partition { return Partition{cfg: cfg} }

// Plan says when a request of the given cost may be sent if requests that cost
// ahead in all are sent before it. With ahead 0 the answer is exact: Send may
// be called once now has reached At. With more it is an estimate.
func (p *Partition) Plan(now Instant, ahead, cost int64) Plan {
	pl := Plan{At: p.hold.until, Policy: p.hold.policy, Known: p.hold.until > now}
	for i := range p.limits {
		l := &p.limits[i]
		l.roll(now, p.units)
		if at := l.floor(p.units, cost, p.hold.slack); at > pl.At {
			pl.At, pl.Policy, pl.Known = at, l.name, true
			p.floor = max(p.floor, at)
		}
	}
	gap, by := p.gap(now)
	if gap > 0 {
		pl.Known = true
		if at := p.slot(gap); at > pl.At {
			pl.At, pl.Policy = at, by
		}
	}
	if at := p.places.next(now, p.seq, p.hold.alone); at > pl.At {
		pl.At = at
	}
	if ahead > 0 {
		pl.At = max(pl.At, now).Add(scale(gap, float64(ahead)))
	}
	return pl
}

// gap is the longest gap that any limit asks for, and whose it is. 0: no pace
// is known.
func (p *Partition) gap(now Instant) (time.Duration, string) {
	var gap time.Duration
	var by string
	for i := range p.limits {
		if g := p.limits[i].gap(now, p.units); g > gap {
			gap, by = g, p.limits[i].name
		}
	}
	if gap == 0 {
		return p.trial.gap(), ""
	}
	return gap, by
}

// interval is the longest gap at the nominal rates.
func (p *Partition) interval() time.Duration {
	var gap time.Duration
	for i := range p.limits {
		gap = max(gap, p.limits[i].interval())
	}
	if gap == 0 {
		return p.trial.gap()
	}
	return gap
}

// slot is where the next request's slot lies on the pace line.
func (p *Partition) slot(gap time.Duration) Instant {
	return p.base.Add(scale(gap, float64(p.owed)*(1+p.cfg.swing()*p.swing)))
}

// Send records that a request goes to the wire now.
func (p *Partition) Send(now Instant, cost int64, u float64) Ticket {
	before := p.base
	gap, _ := p.gap(now)
	line := max(p.slot(gap), now.Add(-p.credit(now)))
	if gap == 0 {
		line = now
	}
	line = max(line, min(p.floor, now))
	p.floor = 0
	p.base, p.owed, p.swing = line, cost, 2*u-1
	p.seq++
	p.units += cost
	for i := range p.limits {
		p.limits[i].recent.add(now, p.limits[i].window, cost)
	}
	p.places.sent(now)
	p.trial.sent(now)
	return Ticket{sent: now, seq: p.seq, units: p.units, cost: cost, moved: line.Sub(before)}
}

// credit is how far the pace line may lag behind now: what an idle client has
// saved up, in time.
func (p *Partition) credit(now Instant) time.Duration {
	least := time.Duration(-1)
	for i := range p.limits {
		l := &p.limits[i]
		g := l.gap(now, p.units)
		if g <= 0 {
			continue
		}
		c := scale(g, l.credit(p.cfg, p.units))
		if least < 0 || c < least {
			least = c
		}
	}
	return max(least, 0)
}

// Cancel takes a Send back: the request never reached the wire (Base was not called).
func (p *Partition) Cancel(now Instant, t Ticket) {
	p.base = p.base.Add(-t.moved)
	p.units -= t.cost
	for i := range p.limits {
		p.limits[i].cancelled(t)
	}
	p.places.released()
}

// Answered records the response to a request. Its place stays taken until Release.
func (p *Partition) Answered(now Instant, t Ticket, a Answer, u float64) {
	fresh := t.seq > p.applied
	p.applied = max(p.applied, t.seq)
	had := len(p.limits) > 0
	if fresh {
		p.learn(now, t, a, u)
	}
	p.places.last = now
	if !a.Refused {
		p.places.answered(now, p.paced())
	}
	if !had && len(p.limits) > 0 && !a.Refused {
		p.base = max(p.base.Add(-p.credit(now)), now.Add(-p.credit(now)))
		p.owed = 0
	}
	if a.Refused {
		p.refused(now, t, a, u)
		return
	}
	p.hold.succeeded(t)
	p.trial.succeeded(now, t, p.hold.until)
}

func (p *Partition) paced() bool { return len(p.limits) > 0 }

func (p *Partition) learn(now Instant, t Ticket, a Answer, u float64) {
	for i := range a.Limits {
		in := &a.Limits[i]
		if in.Concurrent {
			p.places.advertise(in)
			continue
		}
		p.limit(in).told(now, t, in, a.Refused, u)
	}
	p.forget(now, t)
}

// limit finds the state of the limit that in tells of, or makes it.
func (p *Partition) limit(in *Limit) *limit {
	oldest := 0
	for i := range p.limits {
		l := &p.limits[i]
		if l.name == in.Policy && l.key == in.PartitionKey {
			return l
		}
		if l.seq < p.limits[oldest].seq {
			oldest = i
		}
	}
	if len(p.limits) == maxLimits {
		p.limits = append(p.limits[:oldest], p.limits[oldest+1:]...)
	}
	p.limits = append(p.limits, limit{name: strings.Clone(in.Policy), key: strings.Clone(in.PartitionKey), remaining: Unknown})
	return &p.limits[len(p.limits)-1]
}

// forget drops the limits that are over and that the newest answer no longer
// mentions, if it mentions any.
func (p *Partition) forget(now Instant, t Ticket) {
	told := false
	for i := range p.limits {
		told = told || p.limits[i].seq == t.seq
	}
	if !told {
		return
	}
	kept := p.limits[:0]
	for _, l := range p.limits {
		if l.seq == t.seq || !l.over(now) {
			kept = append(kept, l)
		}
	}
	clear(p.limits[len(kept):])
	p.limits = kept
}

// Lost records that Base returned an error: the request counts as sent.
// Its place stays taken until Release.
func (p *Partition) Lost(now Instant, t Ticket) {}

// Release frees the request's place: it is over, its response body included.
// Exactly one Release or Cancel follows each Send.
func (p *Partition) Release(now Instant, t Ticket) { p.places.released() }

// HasConcurrencyLimit reports whether the server advertised a limit on requests
// in flight, so that a place is free only at the end of the response's body.
func (p *Partition) HasConcurrencyLimit() bool { return p.places.advertised > 0 }

// HeldUntil returns the end of the hold; an Instant not after now if none is in force.
func (p *Partition) HeldUntil() Instant { return p.hold.until }

// Idle reports whether the partition may be forgotten without loss: nothing is
// in flight, no hold is in force, and every window it knows of has ended.
func (p *Partition) Idle(now Instant) bool {
	if p.places.busy > 0 || p.hold.until > now {
		return false
	}
	for i := range p.limits {
		if !p.limits[i].over(now) {
			return false
		}
	}
	return true
}
