package gate

import (
	"context"
	"slices"
	"time"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/pacer"
)

// A Visit is one request's way through a partition, from Enter to its end. The caller sets the exported fields before
// Enter.
type Visit struct {
	Called   pacer.Instant // when the call was made; MaxWait counts from then
	MaxWait  time.Duration // how long headway delays the request at most; 0: not at all; negative: not bounded
	Price    Pricer
	Priority int     // higher goes first
	Watcher  Watcher // nil: none

	Cause  pacer.Cause // what the request waits for, or has waited for last; "": it has not waited. The caller may reset it
	Policy string      // the policy of that; "": none, or without a name

	partition *Partition
	units     []limits.Unit // of cost.Others
	cost      pacer.Cost
	bound     bound // known once the request has to wait

	state  state
	ticket pacer.Ticket // while granted or sent
	waiter *waiter      // while queued
	body   End          // after the response; zero: the body matters to no limit

	isResend bool // the request was sent before, and throttled
}

// A state says what a visit holds and has to give back. The package documentation has the table.
type state uint8

const (
	outside state = iota // nothing
	queued               // a place in the queue of the partition
	granted              // a ticket; the request was not sent yet
	sent                 // a ticket; the request is on its way
)

// A Watcher is called when a request has begun to wait. No lock is held during the call.
type Watcher interface {
	Waits(p *Partition, w *Wait)
}

// The causes of waits that no pacer knows.
const (
	CauseQueue   pacer.Cause = "queue"   // requests ahead in the queue
	CauseCeiling pacer.Cause = "ceiling" // a token of the Ceiling
)

// watch notes that the request begins to wait, and calls the Watcher, which is the caller's code.
func (v *Visit) watch(w *Wait) {
	v.Cause, v.Policy = w.Cause, w.Policy
	if v.Watcher != nil {
		v.Watcher.Waits(v.partition, w)
	}
}

// price determines the cost in the units that the partition counts. It calls the caller's code, so no lock may be held.
func (v *Visit) price(units []limits.Unit) {
	v.units = units
	v.Price.set(&v.cost, units)
}

// reprice prices the request anew if the partition counts other units than those of its price. It reports whether it does.
func (v *Visit) reprice() bool {
	units := v.partition.units()
	if v.isPricedIn(units) {
		return false
	}
	v.price(units)
	return true
}

func (v *Visit) isPricedIn(units []limits.Unit) bool { return slices.Equal(units, v.units) }

// bind determines the bound of the request. It calls the context, which is the caller's code, so no lock may be held.
func (v *Visit) bind(ctx context.Context) {
	v.bound = boundOf(ctx, &v.partition.settings.Clock, v.Called, v.MaxWait)
}

// newWaiter returns a waiter for the request.
func (v *Visit) newWaiter() *waiter {
	return &waiter{called: v.Called, priority: v.Priority, resend: v.isResend, cost: v.cost, bound: v.bound}
}

// Partition returns the partition of the visit; nil before Enter.
func (v *Visit) Partition() *Partition { return v.partition }

// MayBeRefused reports whether the request, which is to be sent again, may still be refused for starting too late.
func (v *Visit) MayBeRefused() bool {
	return v.IsQueued() && (v.bound.latest < pacer.Never || v.partition.settings.Ceiling != nil)
}

// IsOpen reports whether the response's body matters to a limit. The caller then calls End, and Done when the body ends.
func (v *Visit) IsOpen() bool { return v.body.partition != nil }

// IsQueued reports whether the request is to be sent again; see Verdict.Wait.
func (v *Visit) IsQueued() bool { return v.state == queued }
