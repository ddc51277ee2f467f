package schedule

import (
	"cmp"
	"context"

	"github.com/headway-go/headway/internal/queue"
	"github.com/headway-go/headway/pacer"
)

// A waiter is one request in a queue. The queue's lock guards it until it is granted or refused. From then on it belongs
// to the request's goroutine.
type waiter = queue.Waiter[claim]

// A claim is the part of a waiter that the queue does not need.
type claim struct {
	bound bound
	cost  pacer.Cost

	decided chan struct{} // closed once the request is granted or refused
	ticket  *pacer.Ticket // nil: not granted; a waiter's memory counts while it waits
	refusal *Refusal      // nil: not refused
}

// newWaiter returns a waiter for a request of that cost.
func newWaiter(called pacer.Instant, b bound, cost pacer.Cost, priority int, resend bool) *waiter {
	return &waiter{
		Called: int64(called), Expires: int64(b.expires), Priority: priority, Resend: resend, Requests: cost.Requests,
		Value: claim{bound: b, cost: cost, decided: make(chan struct{})},
	}
}

func refuse(w *waiter, now pacer.Instant, plan *pacer.Plan) {
	w.Value.refusal = w.Value.bound.refusal(now, plan)
	close(w.Value.decided)
}

// decision waits until w is granted or refused. If the request ends before that, or at the same instant, decision returns
// why, see Ended.
func decision(ctx context.Context, cancel <-chan struct{}, w *waiter) error {
	select {
	case <-w.Value.decided:
		return Ended(ctx, cancel)
	case <-ctx.Done():
		return cmp.Or(context.Cause(ctx), context.Canceled) // a custom context may set Err late
	case <-cancel: // perhaps by a value, which no later look at cancel would find
		return cmp.Or(Ended(ctx, nil), ErrCanceled)
	}
}
