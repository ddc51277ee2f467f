package schedule

import (
	"sync/atomic"
	"time"

	"github.com/headway-go/headway/internal/clock"
	"github.com/headway-go/headway/internal/identity"
	"github.com/headway-go/headway/internal/queue"
	"github.com/headway-go/headway/pacer"
)

// replanAfter is by how much a hold has to be lengthened for all waiters to be planned anew, which takes time in
// proportion to their number: refusals that come together each count a Retry-After from their own moment.
const replanAfter = 100 * time.Millisecond

// A dispatcher decides when the requests of one partition go: the pacer says when the limits allow a request, and the queue
// who is next. It has no lock and reads no clock; a Partition is a dispatcher behind a lock.
type dispatcher struct {
	*Settings

	pacer   pacer.Partition
	paths   identity.Paths
	waiting *waiting      // nil while nothing waits
	used    pacer.Instant // when a request last left, or was called, see Visit.Answered
	notes   *notes        // nil: none

	isForgotten atomic.Bool // the partition is no longer in the registry
	size        int32       // bytes, as counted in Settings.Memory; 0: they do not count
}

// waiting is what a dispatcher needs while requests wait.
type waiting struct {
	queue   queue.Queue[claim]
	timer   *time.Timer // nil: not started yet
	alarm   pacer.Instant
	passing bool // a waiter was granted and has not passed on yet
}

// A waker is woken when the first of those who wait may go.
type waker interface{ wake() }

// queue returns the queue, nil if nothing waits.
func (d *dispatcher) queue() *queue.Queue[claim] {
	if d.waiting == nil {
		return nil
	}
	return &d.waiting.queue
}

// uses is the set of limits that a waiter uses, as is known now.
func (d *dispatcher) uses(w *waiter) queue.Set { return queue.Set(d.pacer.Uses(&w.Value.cost)) }

// take sends a request if nothing waits before it and the limits allow it. If not, plan says when it would be its
// turn.
func (d *dispatcher) take(now pacer.Instant, v *Visit, plan *pacer.Plan) (ok bool) {
	if d.waiting == nil {
		return d.pacer.Take(now, &v.cost, &v.ticket, plan)
	}
	if *plan = (pacer.Plan{At: pacer.Never}); v.Watcher != nil { // nobody else asks
		d.plan(now, &waiter{Priority: v.Priority, Kind: d.kindOf(&v.cost), Value: claim{cost: v.cost}, Called: int64(now)}, plan)
	}
	return false
}

// plan sets plan to when a request could go that joined the queue now.
func (d *dispatcher) plan(now pacer.Instant, w *waiter, plan *pacer.Plan) {
	*plan = d.pacer.Plan(now, d.queue().Ahead(w), &w.Value.cost)
}

// send sends a request now, whatever is planned.
func (d *dispatcher) send(now pacer.Instant, cost *pacer.Cost, t *pacer.Ticket) {
	d.pacer.Send(now, cost, t)
}

// kindOf returns the kind of a request of that cost.
func (d *dispatcher) kindOf(cost *pacer.Cost) queue.Kind {
	k := queue.Kind{Route: max(cost.Route, 1)} // a request without a number is of the first route
	if d.pacer.Keyed() {
		k.Key = cost.Key
	}
	if cost.Requests == 0 {
		k.Free = 1
	}
	if cost.Others != nil {
		for i, n := range cost.Others {
			if n == 0 {
				k.Free |= 2 << i
			}
		}
	}
	return k
}

// enqueue queues w, unless its planned start comes too late for it.
func (d *dispatcher) enqueue(now pacer.Instant, w *waiter, plan *pacer.Plan) (ok bool) {
	w.Kind = d.kindOf(&w.Value.cost)
	d.plan(now, w, plan)
	b := &w.Value.bound
	if b.excludes(plan) || w.Resend && now > b.latest { // nothing is sent again too late, whatever the plan rests on
		return false
	}
	if d.waiting == nil {
		d.waiting = &waiting{queue: queue.Make(d.uses)}
	}
	d.waiting.queue.Push(w, plan.Known)
	return true
}

// join queues w, or refuses it. Behind others it changes nothing for them, nor when to wake up, unless its wait may end
// before that.
func (d *dispatcher) join(now pacer.Instant, w *waiter, by waker) {
	var plan pacer.Plan
	switch {
	case !d.enqueue(now, w, &plan):
		refuse(w, now, &plan)
	case w.IsFirst() || pacer.Instant(w.Expires) < d.waiting.alarm:
		d.settle(now, by)
	}
}

// settle brings the queue up to date after an event: it grants what may go now, refuses what cannot start in time, and
// sets the timer for the rest. After a grant the rest is left to the granted waiter, see passOn.
func (d *dispatcher) settle(now pacer.Instant, by waker) {
	q := d.waiting
	if q == nil {
		return
	}
	for !q.passing && !q.queue.IsEmpty() {
		if next, done := d.settleNext(now); done {
			q.setAlarm(now, next, by)
			return
		}
	}
	if q.passing {
		return
	}
	if q.timer != nil {
		q.timer.Stop()
	}
	d.waiting = nil
}

// settleNext grants or refuses one waiter, or else finds when there is something to do next, for which done is true.
func (d *dispatcher) settleNext(now pacer.Instant) (next pacer.Instant, done bool) {
	q := &d.waiting.queue
	next, done = pacer.Never, true
	q.Next(func(w *waiter) (waitsFor queue.Set, stop bool) {
		plan := d.pacer.Plan(now, 0, &w.Value.cost)
		switch {
		case w.Value.bound.excludes(&plan):
			q.Remove(w)
			refuse(w, now, &plan)
		case plan.At <= now:
			d.grant(now, w)
		case plan.Known && !w.IsPlanned():
			d.replan(now)
		default:
			next = min(next, plan.At)
			return queue.Set(plan.For), false
		}
		done = false
		return 0, true
	})
	if !done {
		return 0, false
	}
	late, expiry := q.Expired(int64(now))
	if late != nil {
		d.expire(now, late)
		return 0, false
	}
	return min(next, pacer.Instant(expiry)), true
}

// expire refuses w, which has waited for as long as it may.
func (d *dispatcher) expire(now pacer.Instant, w *waiter) {
	plan := d.pacer.Plan(now, 0, &w.Value.cost)
	d.queue().Remove(w)
	refuse(w, now, &plan)
}

func (d *dispatcher) grant(now pacer.Instant, w *waiter) {
	d.waiting.queue.Grant(w)
	d.waiting.passing = !w.Resend // a request to be sent again may still be busy with its last response
	d.send(now, &w.Value.cost, &w.Value.ticket)
	close(w.Value.decided)
}

// replan refuses the waiters whose start is too late as planned now: a hold was set, or limits have become known.
func (d *dispatcher) replan(now pacer.Instant) {
	d.queue().Each(func(w *waiter, ahead int64) (stays bool) {
		plan := d.pacer.Plan(now, ahead, &w.Value.cost)
		if stays = !w.Value.bound.excludes(&plan); !stays {
			refuse(w, now, &plan)
		}
		return stays
	})
}

func (w *waiting) setAlarm(now, at pacer.Instant, by waker) {
	switch {
	case w.timer == nil:
		w.timer = clock.After(at.Sub(now), by.wake)
	case w.alarm != at:
		w.timer.Reset(at.Sub(now))
	}
	w.alarm = at
}

// leave takes back w, be it queued or just granted. It reports false if w was refused.
func (d *dispatcher) leave(now pacer.Instant, w *waiter, by waker) bool {
	switch {
	case w.IsQueued():
		wasFirst := w.IsFirst()
		d.waiting.queue.Remove(w)
		d.used = now
		if wasFirst {
			d.settle(now, by)
		}
		return true
	case w.Value.refusal == nil: // it was granted
		if !w.Resend && d.waiting != nil {
			d.waiting.passing = false
		}
		d.cancel(now, &w.Value.ticket, by)
		return true
	}
	return false
}

// cancel takes back a request that never reached the wire.
func (d *dispatcher) cancel(now pacer.Instant, ticket *pacer.Ticket, by waker) {
	d.pacer.Cancel(now, ticket)
	d.used = now
	d.settle(now, by)
}

// release frees the place of a request that is over.
func (d *dispatcher) release(now pacer.Instant, by waker) {
	d.pacer.Release()
	d.used = now
	d.settle(now, by)
}

// isNeeded reports whether a request depends on the partition.
func (d *dispatcher) isNeeded() bool { return d.pacer.InFlight() > 0 || d.waiting != nil }
