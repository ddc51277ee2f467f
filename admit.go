package headway

import (
	"context"
	"slices"
	"time"

	"golang.org/x/time/rate"

	"github.com/headway-go/headway/internal/clock"
	"github.com/headway-go/headway/pacer"
)

// admit returns once the request may go to the wire, with its ticket in c; or it
// is refused, or its context ended, for which err is the cause.
func (c *call) admit() (refused *LimitError, err error) {
	c.lock(false)
	plan, ok := c.partition.take(c.called, &c.cost, c.priority(), &c.ticket)
	if !ok {
		// Those that were called later and were quicker to the lock are in its future.
		if now := c.clock().Now(); plan.At <= now {
			plan, ok = c.partition.take(now, &c.cost, c.priority(), &c.ticket)
		}
	}
	if !ok {
		return c.admitLater(plan)
	}
	c.partition.mu.Unlock()
	c.holdsPlace = true
	if c.Ceiling == nil || c.Shadow {
		return nil, nil
	}
	return c.underCeiling(false)
}

// admitLater is admit for a request that may not go at once. The partition is locked.
func (c *call) admitLater(plan pacer.Plan) (refused *LimitError, err error) {
	wait := delay{Plan: plan, queue: c.partition.queue.len() + 1}
	if c.Shadow {
		c.ticket, c.holdsPlace = c.partition.send(c.called, &c.cost), true
		c.partition.mu.Unlock()
		c.report(&wait)
		return nil, nil
	}
	c.partition.mu.Unlock()
	w := c.waiter(false)
	if !w.bound.excludes(plan) {
		c.observeWait(c.called, &wait)
	}
	c.lock(true) // again: it may have been evicted meanwhile
	w.cost = c.cost
	w.cost.Since = max(c.called, 1)
	c.partition.join(c.clock().Now(), w)
	c.partition.mu.Unlock()
	return c.turn(w)
}

// lock finds the request's partition and locks it, once the request is priced in the
// units that it counts, and its route known.
func (c *call) lock(waits bool) {
	for {
		c.partition = c.partitions.lock(&c.key, c.req)
		units := c.partition.pacer.Units()
		if slices.Equal(units, c.units) {
			c.cost.Route = c.partition.route(c.req.Method, c.req.URL, waits)
			return
		}
		c.partition.mu.Unlock()
		c.price(units)
	}
}

// turn waits until it is the waiter's turn and the Ceiling allows it.
func (c *call) turn(w *waiter) (refused *LimitError, err error) {
	c.queued = w
	err = w.wait(c.req.Context(), c.partition)
	c.queued = nil
	if err != nil {
		c.observeAbandoned()
		return nil, err
	}
	if !w.granted {
		return c.limitError(w.plan, w.refusedAt, w.bound.reason), nil
	}
	c.ticket, c.holdsPlace = w.ticket, true
	switch again := c.requeued(w.resend); {
	case again != nil:
		return c.turn(again)
	case c.Ceiling != nil:
		return c.underCeiling(w.resend)
	}
	return nil, nil
}

// underCeiling takes a token of the Ceiling for a request that its partition
// let go, and waits for it. If it cannot have one in time, the request is
// cancelled. If meanwhile a refusal has set a hold, it waits for its turn again.
func (c *call) underCeiling(resend bool) (refused *LimitError, err error) {
	token := c.Ceiling.Reserve()
	d := token.Delay()
	if d == 0 {
		return nil, nil
	}
	now, bound := c.clock().Now(), c.bound()
	wait := delay{Plan: pacer.Plan{At: now.Add(d)}, cause: CauseCeiling, resend: resend}
	switch {
	case d == rate.InfDuration:
		refused = c.limitError(pacer.Plan{At: pacer.Never}, now, ErrMaxWait)
	case wait.At > bound.latest:
		refused = c.limitError(wait.Plan, now, bound.reason)
	default:
		c.observeWait(now, &wait)
		err = c.pauseAtCeiling(d)
	}
	if refused != nil || err != nil {
		token.Cancel()
		c.holdsPlace = false
		c.partition.mu.Lock()
		c.partition.cancel(c.clock().Now(), &c.ticket)
		c.partition.mu.Unlock()
		if err != nil {
			c.observeAbandoned()
		}
		return refused, err
	}
	if again := c.requeued(resend); again != nil {
		return c.turn(again)
	}
	return nil, nil
}

func (c *call) pauseAtCeiling(d time.Duration) error {
	c.partition.waitAtCeiling(1)
	defer c.partition.waitAtCeiling(-1)
	return clock.Pause(c.req.Context(), d)
}

// requeued puts the request back into the queue if a hold has been set since it
// was let go, and returns its entry; else nil.
func (c *call) requeued(resend bool) *waiter {
	now := c.clock().Now()
	if !c.partition.held(now, &c.ticket) {
		return nil
	}
	w := c.waiter(resend)
	if c.observed() { // first, as others may wait for this one to pass on once it is queued
		wait := c.partition.delay(now, w)
		c.observeWait(now, &wait)
	}
	c.partition.requeue(&c.ticket, w) // by now it may be later
	c.holdsPlace = false
	return w
}

// waiter returns the request's entry for the queue.
func (c *call) waiter(resend bool) *waiter {
	cost := c.cost
	cost.Since = max(c.called, 1)
	return &waiter{
		called: c.called, bound: c.bound(), cost: cost, priority: c.priority(),
		resend: resend, decided: make(chan struct{}),
	}
}

// priority is what the request's context says, or 0.
func (c *call) priority() int {
	if c.options == nil {
		return 0
	}
	return c.options.priority
}

// bound returns the last moment at which the request may start.
func (c *call) bound() bound {
	b := bound{latest: pacer.Never, expires: pacer.Never}
	if wait := c.maxWait(); wait >= 0 {
		b.expires = c.called.Add(wait)
		b.latest, b.reason = b.expires, ErrMaxWait
	}
	if deadline, ok := c.req.Context().Deadline(); ok {
		if at := c.clock().Until(deadline); at <= b.latest {
			b.latest, b.reason = at, context.DeadlineExceeded
		}
	}
	return b
}

// limitError says that the request was not sent, because at now it could start
// no earlier than planned.
func (c *call) limitError(plan pacer.Plan, now pacer.Instant, reason error) *LimitError {
	e := &LimitError{Partition: c.partition.key.String(), Policy: plan.Policy, Err: reason}
	if plan.At < pacer.Never {
		e.RetryAt, e.Wait = c.clock().Time(plan.At), plan.At.Sub(now)
	}
	return e
}

// report tells what the Transport would do about a request if it were not a shadow.
func (c *call) report(wait *delay) {
	if b := c.bound(); b.excludes(wait.Plan) {
		c.observeRefused(c.limitError(wait.Plan, c.called, b.reason))
		return
	}
	c.observeWait(c.called, wait)
}
