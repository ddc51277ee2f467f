package schedule

import (
	"cmp"
	"context"
	"time"

	"github.com/headway-go/headway/internal/clock"
	"github.com/headway-go/headway/internal/queue"
	"github.com/headway-go/headway/pacer"
)

// waiting is the state of a partition, or of the Ceiling, while requests wait for it. The lock of that source guards it.
type waiting struct {
	source  source
	queue   queue.Queue[claim]
	timer   *time.Timer // nil: not started yet
	alarm   pacer.Instant
	passing bool // a granted waiter has yet to call passOn
}

// A source is what requests wait for: a partition, or the Ceiling. The lock is held during plan and grant.
type source interface {
	plan(now pacer.Instant, ahead int64, w *waiter) pacer.Plan // when w may go behind others of that cost
	grant(now pacer.Instant, w *waiter)                        // w goes, as its plan allows
	wake()                                                     // the timer calls it
}

// settle updates the queue after an event. It grants the waiters that may go now, refuses those that cannot start in
// time, and sets the timer for the rest. It reports whether nobody waits any more. While passing it grants none: the
// granted waiter calls it again.
func (q *waiting) settle(now pacer.Instant) (isOver bool) {
	for !q.passing && !q.queue.IsEmpty() {
		if next, done := q.settleNext(now); done {
			q.setAlarm(now, next)
			return false
		}
	}
	if q.passing {
		return false
	}
	if q.timer != nil {
		q.timer.Stop()
	}
	return true
}

// settleNext grants or refuses one waiter. If there is none to grant or refuse, done is true, and next is when there may
// be one.
func (q *waiting) settleNext(now pacer.Instant) (next pacer.Instant, done bool) {
	next, done = pacer.Never, true
	q.queue.Next(func(w *waiter) (waitsFor queue.Set, stop bool) {
		plan := q.source.plan(now, 0, w)
		switch {
		case w.Value.bound.excludes(&plan):
			q.queue.Remove(w)
			refuse(w, now, &plan)
		case plan.At <= now:
			q.queue.Grant(w)
			q.source.grant(now, w)
			close(w.Value.decided)
		case plan.Known && !w.IsPlanned():
			q.replan(now)
		default:
			w.Value.cause, w.Value.policy = plan.Cause, plan.Policy
			next = min(next, plan.At)
			return queue.Set(plan.For), false
		}
		done = false
		return 0, true
	})
	if !done {
		return 0, false
	}
	late, expiry := q.queue.Expired(int64(now)) // last, as a waiter that may go at this instant is not too late
	if late == nil {
		return min(next, pacer.Instant(expiry)), true
	}
	plan := q.source.plan(now, 0, late)
	q.queue.Remove(late)
	refuse(late, now, &plan)
	return 0, false
}

// replan plans all waiters again and refuses those whose start is now too late. It is called when a hold has begun or
// limits have become known.
func (q *waiting) replan(now pacer.Instant) {
	q.queue.Each(func(w *waiter, ahead int64) (stays bool) {
		plan := q.source.plan(now, ahead, w)
		if stays = !w.Value.bound.excludes(&plan); !stays {
			refuse(w, now, &plan)
		}
		return stays
	})
}

func (q *waiting) setAlarm(now, at pacer.Instant) {
	switch {
	case q.timer == nil:
		q.timer = clock.After(at.Sub(now), q.source.wake)
	case q.alarm != at:
		q.timer.Reset(at.Sub(now))
	}
	q.alarm = at
}

// A waiter is one request in a queue. The queue's lock guards it until it is granted or refused. From then on it belongs
// to the request's goroutine.
type waiter = queue.Waiter[claim]

// A claim is the part of a waiter that the queue does not need.
type claim struct {
	bound  bound
	cost   pacer.Cost
	cause  pacer.Cause // what the request waits for by its last plan
	policy string      // the policy of that

	decided chan struct{} // closed once the request is granted or refused
	ticket  *pacer.Ticket // of a partition's grant; nil: none; a waiter's memory counts while it waits
	refusal *Refusal      // nil: not refused
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

// A bound is the latest moment at which a request may start, and the reason.
type bound struct {
	latest   pacer.Instant
	expires  pacer.Instant // when MaxWait ends the wait, even if the request is planned to start in time
	deadline bool          // latest is the context's deadline; else it is the end of MaxWait
	ceiling  bool          // the request waits for the Ceiling
}

// boundOf returns the bound of a request whose call was made at called. A negative maxWait does not bound it.
func boundOf(ctx context.Context, c *clock.Clock, called pacer.Instant, maxWait time.Duration) bound {
	b := bound{latest: pacer.Never, expires: pacer.Never}
	if maxWait >= 0 {
		b.expires = called.Add(maxWait)
		b.latest = b.expires
	}
	if deadline, ok := ctx.Deadline(); ok {
		if at := c.Until(deadline); at <= b.latest {
			b.latest, b.deadline = at, true
		}
	}
	return b
}

// excludes reports whether the plan starts the request too late. A plan that rests on no report of the server excludes no
// request. A Ceiling that makes no more tokens excludes all.
func (b bound) excludes(plan *pacer.Plan) bool {
	return plan.Known && (plan.At > b.latest || b.ceiling && plan.At == pacer.Never)
}

// isBounded reports whether the request has a deadline or a MaxWait.
func (b bound) isBounded() bool { return b.latest < pacer.Never }

// A Refusal says that a request was not sent, because its planned start was too late.
type Refusal struct {
	pacer.Plan               // At is Never if no start is known
	Now        pacer.Instant // when the request was refused
	Deadline   bool          // the reason is the context's deadline; else it is MaxWait
}

func (b bound) refusal(now pacer.Instant, plan *pacer.Plan) *Refusal {
	// Without a planned start no deadline would be late enough, so the deadline is not the reason.
	return &Refusal{Plan: *plan, Now: now, Deadline: b.deadline && plan.At < pacer.Never}
}
