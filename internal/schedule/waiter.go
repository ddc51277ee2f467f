package schedule

import (
	"context"

	"github.com/headway-go/headway/internal/queue"
	"github.com/headway-go/headway/pacer"
)

// A waiter is one request in a queue. The lock of the queue guards it until it is decided; from then on it belongs to
// the request.
type waiter = queue.Waiter[claim]

// A claim is what a waiter has that the queue does not need.
type claim struct {
	bound bound
	cost  pacer.Cost

	decided chan struct{} // closed once the request is granted or refused
	ticket  pacer.Ticket  // when granted
	refusal *Refusal      // nil: not refused
}

// newWaiter returns the entry of a request that costs so much.
func newWaiter(called pacer.Instant, b bound, cost pacer.Cost, priority int, resend bool) *waiter {
	w := &waiter{
		Called: int64(called), Expires: int64(b.expires), Priority: priority, Resend: resend, Requests: cost.Requests,
		Value: claim{bound: b, cost: cost, decided: make(chan struct{})},
	}
	w.Value.cost.Since = max(called, 1)
	return w
}

func refuse(w *waiter, now pacer.Instant, plan *pacer.Plan) {
	w.Value.refusal = w.Value.bound.refusal(now, plan)
	close(w.Value.decided)
}

// decision waits until w is granted or refused, or its context ends. A context that ends in the same instant
// counts.
func decision(ctx context.Context, w *waiter) (ended bool) {
	select {
	case <-w.Value.decided:
		return ctx.Err() != nil
	case <-ctx.Done():
		return true // whatever Err says: contexts made by hand may be late to say it
	}
}
