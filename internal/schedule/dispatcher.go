package schedule

import (
	"sync/atomic"
	"time"

	"github.com/headway-go/headway/internal/clock"
	"github.com/headway-go/headway/internal/identity"
	"github.com/headway-go/headway/internal/queue"
	"github.com/headway-go/headway/pacer"
)

// replanAfter is by how much a hold must grow before all waiters are planned again. Refusals that arrive together extend
// the hold by a few milliseconds each, and planning 10,000 waiters for each of them would take long.
const replanAfter = 100 * time.Millisecond

// A dispatcher decides when the requests of one partition go. The pacer says when the limits allow a request, and the
// queue says which request is next. A dispatcher has no lock and reads no clock: a Partition is a dispatcher behind a lock.
type dispatcher struct {
	*Settings

	pacer   pacer.Partition
	paths   identity.Paths
	waiting *waiting      // nil while nothing waits
	used    pacer.Instant // when a request was last sent or made
	notes   *notes        // nil: none

	isForgotten atomic.Bool // the partition is no longer in the registry
	size        int32       // bytes that are counted in Settings.Memory; 0: not counted
	trailless   uint8       // responses that might have had a trailer, see readsTrailer
}

// waiting is the state of a dispatcher while requests wait.
type waiting struct {
	queue   queue.Queue[claim]
	timer   *time.Timer // nil: not started yet
	alarm   pacer.Instant
	passing bool // a granted waiter has yet to call passOn
}

// A waker is woken when the first waiter may go.
type waker interface{ wake() }

// queue returns the queue; nil if no request waits.
func (d *dispatcher) queue() *queue.Queue[claim] {
	if d.waiting == nil {
		return nil
	}
	return &d.waiting.queue
}

// uses is the set of limits that the waiter's request counts against, as far as is known.
func (d *dispatcher) uses(w *waiter) queue.Set { return queue.Set(d.pacer.Uses(&w.Value.cost)) }

// take sends the visit's request if no other request waits and the limits allow it. If not, plan says when it could go.
func (d *dispatcher) take(now pacer.Instant, v *Visit, plan *pacer.Plan) (ok bool) {
	if d.waiting == nil {
		if ok = d.pacer.Take(now, &v.cost, &v.ticket, plan); ok {
			d.used = max(d.used, now) // calls may overtake each other
		}
		return ok
	}
	if *plan = (pacer.Plan{At: pacer.Never}); v.Watcher != nil { // only a Watcher needs the plan
		d.plan(now, &waiter{Priority: v.Priority, Kind: d.kindOf(&v.cost), Value: claim{cost: v.cost}, Called: int64(now)}, plan)
	}
	return false
}

// plan sets plan to when w could go if it joined the queue now.
func (d *dispatcher) plan(now pacer.Instant, w *waiter, plan *pacer.Plan) {
	*plan = d.pacer.Plan(now, d.queue().Ahead(w), &w.Value.cost)
}

// send records a request that goes now, even if it was planned for later.
func (d *dispatcher) send(now pacer.Instant, cost *pacer.Cost, t *pacer.Ticket) {
	d.pacer.Send(now, cost, t)
	d.used = max(d.used, now)
}

// kindOf returns the queue's kind for a request of that cost. Requests of one kind count against the same limits.
func (d *dispatcher) kindOf(cost *pacer.Cost) queue.Kind {
	k := queue.Kind{Route: max(cost.Route, 1)} // 0 means that the partition has one route only
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

// enqueue queues w, unless its planned start is too late.
func (d *dispatcher) enqueue(now pacer.Instant, w *waiter, plan *pacer.Plan) (ok bool) {
	w.Kind = d.kindOf(&w.Value.cost)
	d.plan(now, w, plan)
	b := &w.Value.bound
	if b.excludes(plan) || w.Resend && now > b.latest { // a resend must start in time even if no server report supports the plan
		return false
	}
	if d.waiting == nil {
		d.waiting = &waiting{queue: queue.Make(d.uses)}
	}
	d.waiting.queue.Push(w, plan.Known)
	return true
}

// join queues w or refuses it. It settles only where that may matter: if w is first, or expires before the alarm.
func (d *dispatcher) join(now pacer.Instant, w *waiter, by waker) {
	var plan pacer.Plan
	switch {
	case !d.enqueue(now, w, &plan):
		refuse(w, now, &plan)
	case w.IsFirst() || pacer.Instant(w.Expires) < d.waiting.alarm:
		d.settle(now, by)
	}
}

// settle updates the queue after an event: it grants the waiters that may go now, refuses those that cannot start in
// time, and sets the timer for the rest. After one grant it stops, and the granted waiter calls it again; see passOn.
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

// settleNext grants or refuses one waiter. If there is none to grant or refuse, done is true, and next is when there may
// be one.
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

// expire refuses w, whose MaxWait is over.
func (d *dispatcher) expire(now pacer.Instant, w *waiter) {
	plan := d.pacer.Plan(now, 0, &w.Value.cost)
	d.queue().Remove(w)
	refuse(w, now, &plan)
}

func (d *dispatcher) grant(now pacer.Instant, w *waiter) {
	d.waiting.queue.Grant(w)
	d.waiting.passing = !w.Resend // a resend may still be reading its last response, so the queue does not wait for its passOn
	w.Value.ticket = new(pacer.Ticket)
	d.send(now, &w.Value.cost, w.Value.ticket)
	close(w.Value.decided)
}

// replan plans all waiters again and refuses those whose start is now too late. It is called when a hold has begun or
// limits have become known.
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

// leave removes w, which is queued or was just granted. It reports false if w was refused.
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
	case w.Value.ticket != nil:
		if !w.Resend && d.waiting != nil {
			d.waiting.passing = false
		}
		d.cancel(now, w.Value.ticket, by)
		return true
	}
	return false
}

// cancel undoes the sending of a request that never reached the network.
func (d *dispatcher) cancel(now pacer.Instant, ticket *pacer.Ticket, by waker) {
	d.pacer.Cancel(now, ticket)
	d.used = now
	d.settle(now, by)
}

// release frees the place in flight of a request that has ended.
func (d *dispatcher) release(now pacer.Instant, by waker) {
	d.pacer.Release()
	d.used = now
	d.settle(now, by)
}

// isNeeded reports whether a request waits or is in flight.
func (d *dispatcher) isNeeded() bool { return d.pacer.InFlight() > 0 || d.waiting != nil }
