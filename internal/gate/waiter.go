package gate

import (
	"cmp"
	"context"
	"time"

	"github.com/headway-go/headway/internal/clock"
	"github.com/headway-go/headway/pacer"
)

// A Wait says until when a request waits, for what, and under which policy. It describes a wait that begins, or one that
// would be too long.
type Wait struct {
	pacer.Plan // At is Never if no start is known

	Now      pacer.Instant // when this was planned
	Queue    int           // requests that wait in the partition, including this one; 0 if it waits for the Ceiling
	Resend   bool          // the request was sent before, and throttled
	Deadline bool          // the wait is too long for the context's deadline; else, if it is too long, for MaxWait
}

// Length returns how long the request is to wait from Now on; 0 if that is not known.
func (w *Wait) Length() time.Duration {
	if w.At == pacer.Never {
		return 0
	}
	return max(0, w.At.Sub(w.Now))
}

// A bound is the latest moment at which a request may start, and the reason.
type bound struct {
	latest     pacer.Instant // Never: not bounded
	isDeadline bool          // latest is the context's deadline; else it is the end of MaxWait
}

// boundOf returns the bound of a request whose call was made at called. A negative maxWait does not bound it.
func boundOf(ctx context.Context, c *clock.Clock, called pacer.Instant, maxWait time.Duration) bound {
	b := bound{latest: pacer.Never}
	if maxWait >= 0 {
		b.latest = called.Add(maxWait)
	}
	if deadline, ok := ctx.Deadline(); ok {
		if at := c.Until(deadline); at <= b.latest {
			b.latest, b.isDeadline = at, true
		}
	}
	return b
}

// excludes reports whether the plan starts the request too late. A plan that rests on no report of the server excludes no
// request.
func (b bound) excludes(plan *pacer.Plan) bool { return plan.Known && plan.At > b.latest }

// expires is when MaxWait ends the wait, even if the request is planned to start in time. A deadline ends the context.
func (b bound) expires() pacer.Instant {
	if b.isDeadline {
		return pacer.Never
	}
	return b.latest
}

// refusal completes a wait that is too long.
func (b bound) refusal(w Wait) *Wait {
	w.Deadline = b.isDeadline && w.At < pacer.Never // without a planned start no deadline would be late enough
	return &w
}

// A waiter is one request in the queue of a partition, or on its way into it. The partition's lock guards it until it is
// granted or refused. From then on it belongs to the request's goroutine.
type waiter struct {
	called   pacer.Instant // when the call was made; earlier goes first within a priority
	priority int           // higher goes first
	resend   bool          // the request was sent before, and throttled
	cost     pacer.Cost
	kind     kind
	bound    bound
	cause    pacer.Cause // what the request waits for by its last plan
	policy   string      // the policy of that

	line *line // nil: not queued

	decided chan struct{} // closed once the request is granted or refused
	ticket  *pacer.Ticket // of the grant; nil: none
	refusal *Wait         // nil: not refused
}

// isLate reports whether the wait is too long. A resend must start in time even if no report of the server supports its
// plan.
func (w *waiter) isLate(wait *Wait) bool {
	return w.bound.excludes(&wait.Plan) || w.resend && wait.Now > w.bound.latest
}

func (w *waiter) refuse(now pacer.Instant, plan *pacer.Plan) {
	w.refusal = w.bound.refusal(Wait{Plan: *plan, Now: now, Resend: w.resend})
	close(w.decided)
}

// pause waits for an event or a timer. If the request ends before that, it returns the cause.
func pause(ctx context.Context, event <-chan struct{}, timer <-chan time.Time) (isEvent bool, err error) {
	select {
	case <-event:
		return true, nil
	case <-timer:
		return false, context.Cause(ctx)
	case <-ctx.Done():
		return false, cmp.Or(context.Cause(ctx), context.Canceled) // a custom context may set Err late
	}
}
