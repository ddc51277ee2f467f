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

	MayHaveTrailer bool // the response may have a trailer; set before Answered or Served
	HasTrailer     bool // the response announces one

	partition *Partition
	units     []limits.Unit // of cost.Others
	cost      pacer.Cost
	isPriced  bool

	state     state
	ticket    pacer.Ticket
	queued    *waiter        // in the state queued
	bytes     pacer.LimitSet // the limits that the length of the response's body counts against
	forgets   int            // the partition's forgets when bytes was determined
	placed    bool           // the place in flight is taken until the body ends
	isOpen    bool           // the body matters and has not ended, and End was not called
	isWatched bool           // see ReadsTrailer
	postponed bool           // the header was no proof of what limits the request uses, see Trailer
	isResend  bool           // the request was sent before, and throttled
}

// A state says what a visit holds and has to give back.
type state uint8

const (
	outside state = iota // nothing
	queued               // an entry in the queue
	sent                 // a ticket and a place
)

// price determines the cost in the units that the partition counts. It calls the caller's code, so no lock may be held.
func (v *Visit) price(units []limits.Unit) {
	v.units, v.isPriced = units, true
	v.Price.Set(&v.cost, units)
}

func (v *Visit) isPricedIn(units []limits.Unit) bool {
	return v.isPriced && slices.Equal(units, v.units)
}

// newWaiter returns a waiter for the request at that cost.
func (v *Visit) newWaiter(b bound, cost pacer.Cost) *waiter {
	return newWaiter(v.Called, b, cost, v.Priority, v.isResend)
}

// bound returns the bound of the request. It calls the context, which is the caller's code, so no lock may be held.
func (v *Visit) bound(ctx context.Context) bound {
	return boundOf(ctx, &v.partition.dispatcher.Clock, v.Called, v.MaxWait)
}

func (v *Visit) tell(now pacer.Instant, d Delay) {
	if v.Watcher != nil {
		v.Watcher.Waits(v.partition, now, d)
	}
}

// Partition returns the partition of the visit; nil before Enter.
func (v *Visit) Partition() *Partition { return v.partition }

// MayBeRefused reports whether the request, which is to be sent again, may still be refused for starting too late.
func (v *Visit) MayBeRefused() bool {
	return v.queued != nil && (v.queued.Value.bound.isBounded() || v.partition.dispatcher.Ceiling != nil)
}

// IsOpen reports whether the response's body matters to a limit. The caller then calls End, and Done when the body ends.
func (v *Visit) IsOpen() bool { return v.isOpen }

// IsQueued reports whether the request is to be sent again; see Verdict.Resend.
func (v *Visit) IsQueued() bool { return v.state == queued }
