package schedule

import (
	"context"
	"slices"
	"time"

	"github.com/headway-go/headway/internal/cost"
	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/pacer"
)

// A Visit is one request's way through a partition, from Enter to its end. The caller sets the exported fields before
// Enter.
type Visit struct {
	Called   pacer.Instant // when the call was made; MaxWait counts from then
	MaxWait  time.Duration // how long headway delays the request at most; 0: not at all; negative: not bounded
	Price    cost.Pricer
	Priority int     // higher goes first
	Watcher  Watcher // nil: none

	Cause  pacer.Cause // what the request waits for, or has waited for last; "": it has not waited. The caller may reset it
	Policy string      // the policy of that; "": none, or without a name

	partition *Partition
	units     []limits.Unit // of cost.Others
	cost      pacer.Cost
	isPriced  bool

	state  state
	ticket pacer.Ticket // from granted to answered
	waiter *waiter      // while queued or atCeiling
	body   End          // while answered; zero: the body matters to no limit

	isResend bool // the request was sent before, and throttled
}

// A state says what a visit holds and has to give back. The package documentation has the table.
type state uint8

const (
	outside   state = iota // nothing, before Enter and after the end
	queued                 // a place in the queue of the partition
	granted                // a ticket
	atCeiling              // a ticket, and a place in the queue of the Ceiling or its token
	sent                   // a ticket; the request is on its way
	answered               // body
)

// A Watcher is called before a request begins to wait. No lock is held during the call.
type Watcher interface {
	Waits(p *Partition, now pacer.Instant, d Delay)
}

// The causes of waits that no pacer knows.
const (
	CauseQueue   pacer.Cause = "queue"   // requests ahead in the queue
	CauseCeiling pacer.Cause = "ceiling" // a token of the Ceiling
)

// A Delay describes a wait that begins.
type Delay struct {
	pacer.Plan

	Queue  int  // requests that wait in the partition, including this one; 0 if it waits for the Ceiling
	Resend bool // the request was sent before, and throttled
}

// watch notes that the request begins to wait, and calls the Watcher, which is the caller's code.
func (v *Visit) watch(now pacer.Instant, d Delay) {
	v.Cause, v.Policy = d.Cause, d.Policy
	if v.Watcher != nil {
		v.Watcher.Waits(v.partition, now, d)
	}
}

// price determines the cost in the units that the partition counts. It calls the caller's code, so no lock may be held.
func (v *Visit) price(units []limits.Unit) {
	v.units, v.isPriced = units, true
	v.Price.Set(&v.cost, units)
}

func (v *Visit) isPricedIn(units []limits.Unit) bool {
	return v.isPriced && slices.Equal(units, v.units)
}

// reprice determines the cost of a granted request in units that have become known. It returns the cost before, or nil if
// nothing is known but that the request has some cost in these units.
func (v *Visit) reprice(units []limits.Unit) (before *pacer.Cost) {
	if v.isPricedIn(units) {
		return nil
	}
	before = new(v.cost)
	v.price(units)
	if before.Requests == v.cost.Requests && others(before) == others(&v.cost) {
		return nil
	}
	return before
}

// others are the costs in other units than requests.
func others(c *pacer.Cost) [pacer.MaxOthers]int64 {
	if c.Others == nil {
		return [...]int64{pacer.Unknown, pacer.Unknown, pacer.Unknown}
	}
	return *c.Others
}

// newWaiter returns a waiter for the request at that cost.
func (v *Visit) newWaiter(b bound, cost pacer.Cost) *waiter {
	return &waiter{
		Called: int64(v.Called), Expires: int64(b.expires), Priority: v.Priority, Resend: v.isResend, Requests: cost.Requests,
		Value: claim{bound: b, cost: cost, decided: make(chan struct{})},
	}
}

// bound returns the bound of the request. It calls the context, which is the caller's code, so no lock may be held.
func (v *Visit) bound(ctx context.Context) bound {
	return boundOf(ctx, &v.partition.settings.Clock, v.Called, v.MaxWait)
}

// Partition returns the partition of the visit; nil before Enter.
func (v *Visit) Partition() *Partition { return v.partition }

// MayBeRefused reports whether the request, which is to be sent again, may still be refused for starting too late.
func (v *Visit) MayBeRefused() bool {
	return v.state == queued && (v.waiter.Value.bound.isBounded() || v.partition.settings.Ceiling != nil)
}

// IsOpen reports whether the response's body matters to a limit. The caller then calls End, and Done when the body ends.
func (v *Visit) IsOpen() bool { return v.body.partition != nil }

// IsQueued reports whether the request is to be sent again; see Verdict.Resend.
func (v *Visit) IsQueued() bool { return v.state == queued }
