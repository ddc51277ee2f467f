package schedule

import (
	"context"
	"slices"

	"github.com/headway-go/headway/internal/cost"
	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/pacer"
)

// A Visit is one request in a partition, from Enter to its end. The caller sets the exported fields
// before Enter.
type Visit struct {
	Called   pacer.Instant // when the call was made; MaxWait counts from then
	Price    cost.Pricer
	Priority int     // higher goes first
	Watcher  Watcher // nil: nobody is told

	partition *Partition
	units     []limits.Unit // that cost is in
	cost      pacer.Cost
	isPriced  bool

	state    state
	ticket   pacer.Ticket
	queued   *waiter        // in the state queued
	bytes    pacer.LimitSet // what the length of the response's body counts for
	forgets  int            // of the partition, when bytes was had
	placed   bool           // its place is taken until the body is over
	isOpen   bool           // the response has a body that is not over, and End was not called
	isResend bool           // it was sent before, and throttled
}

// A state says what a visit has, and has to give back.
type state uint8

const (
	outside state = iota // nothing
	queued               // an entry in the queue
	sent                 // a ticket and a place
)

// price works out the cost in the units that the partition counts. The caller's function is asked, so no lock may be
// held.
func (v *Visit) price(units []limits.Unit) {
	v.units, v.isPriced = units, true
	v.Price.Set(&v.cost, units)
}

func (v *Visit) isPricedIn(units []limits.Unit) bool {
	return v.isPriced && slices.Equal(units, v.units)
}

// newWaiter returns the request's entry in a queue, which counts it at that cost.
func (v *Visit) newWaiter(b bound, cost pacer.Cost) *waiter {
	return newWaiter(v.Called, b, cost, v.Priority, v.isResend)
}

// bound returns the bound of the request. It asks the context, which is the caller's, so no lock may be held.
func (v *Visit) bound(ctx context.Context) bound {
	s := v.partition.dispatcher.Settings
	return boundOf(ctx, &s.Clock, v.Called, s.MaxWait)
}

func (v *Visit) tell(now pacer.Instant, d Delay) {
	if v.Watcher != nil {
		v.Watcher.Waits(v.partition, now, d)
	}
}

// Partition returns the partition that the visit is to; nil before Enter.
func (v *Visit) Partition() *Partition { return v.partition }

// MayBeRefused reports whether the request, which is to be sent again, may turn out to come too late.
func (v *Visit) MayBeRefused() bool {
	return v.queued != nil && (v.queued.Value.bound.isBounded() || v.partition.dispatcher.Ceiling != nil)
}

// IsOpen reports whether the response has a body that counts, so that End has to be called, and Done when that is over.
func (v *Visit) IsOpen() bool { return v.isOpen }

// IsQueued reports whether the request is to be sent again; see Verdict.Resend.
func (v *Visit) IsQueued() bool { return v.state == queued }
