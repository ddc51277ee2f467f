package pacer

import "time"

// Unknown stands for a number or duration that a server did not tell. It is
// never 0: zero remaining is an exhausted quota, zero reset is now.
const Unknown = -1

// Config is what the caller chooses for all partitions.
type Config struct {
	// Burst is the share of a quota that may be sent unspaced after idling;
	// 0 is DefaultBurst, negative none.
	Burst float64
	// Jitter is the share of an interval by which a slot is moved;
	// 0 is DefaultJitter, negative none.
	Jitter float64
}

// A Ticket is one request that was sent: what Send returns and what every
// later event about that request names.
type Ticket struct {
	sent Instant
	seq  uint64
	cost int64
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
	Concurrent           bool          // quota counts requests in flight (concurrent-requests)
	Quota, Remaining     int64         // Unknown when not told
	Window, Reset        time.Duration // Unknown when not told; Reset counts from receipt
}

// A Plan says when a request may go.
type Plan struct {
	At     Instant // earliest start; not after now: it may go at once
	Policy string  // the policy that makes it wait, "" if none or none is known
	Known  bool    // At rests on what a server told; false while it is only the caution of a cold start
}

// A Partition is the pacing state of one partition. It holds no clock, lock,
// timer or goroutine: the caller serialises its calls and passes now and
// uniform random numbers u in [0, 1).
type Partition struct {
	cfg *Config
}

// New returns a partition of which nothing is known. cfg is kept, not copied,
// and not written to.
func New(cfg *Config) Partition { return Partition{cfg: cfg} }

// Plan says when a request of the given cost may be sent if requests that cost
// ahead in all are sent before it. With ahead 0 the answer is exact: Send may
// be called once now has reached At. With more it is an estimate.
func (p *Partition) Plan(now Instant, ahead, cost int64) Plan { return Plan{At: now} }

// Send records that a request goes to the wire now.
func (p *Partition) Send(now Instant, cost int64, u float64) Ticket {
	return Ticket{sent: now, cost: cost}
}

// Cancel takes a Send back: the request never reached the wire (Base was not called).
func (p *Partition) Cancel(now Instant, t Ticket) {}

// Answered records the response to a request. Its place stays taken until Release.
func (p *Partition) Answered(now Instant, t Ticket, a Answer, u float64) {}

// Lost records that Base returned an error: the request counts as sent.
// Its place stays taken until Release.
func (p *Partition) Lost(now Instant, t Ticket) {}

// Release frees the request's place: it is over, its response body included.
// Exactly one Release or Cancel follows each Send.
func (p *Partition) Release(now Instant, t Ticket) {}

// HasConcurrencyLimit reports whether the server advertised a limit on requests in flight,
// so that a place is to be freed only at the end of the response's body.
func (p *Partition) HasConcurrencyLimit() bool { return false }

// HeldUntil returns the end of the hold, or an Instant not after now.
func (p *Partition) HeldUntil() Instant { return 0 }

// Idle reports whether the partition may be forgotten without loss: nothing is
// in flight, no hold is in force, and every window it knows of has ended.
func (p *Partition) Idle(now Instant) bool { return true }
