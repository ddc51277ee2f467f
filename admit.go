package headway

import (
	"context"

	"golang.org/x/time/rate"

	"github.com/headway-go/headway/pacer"
)

// requestCost is what every request uses of every limit.
const requestCost = 1

// admit returns once the request may go to the wire: with a ticket, or refused,
// or with the cause of its context's end.
func (c *call) admit() (p *partition, ticket pacer.Ticket, refused *LimitError, err error) {
	p = c.partitions.lock(c.key, c.called)
	ticket, plan, ok := p.pass(c.called, requestCost, c.Shadow)
	p.mu.Unlock()
	switch {
	case c.Shadow:
		c.report(p, plan)
		return p, ticket, nil, nil
	case ok:
		held, refused, err := c.underCeiling(p, ticket)
		if held {
			w := c.waiter()
			p.requeue(c.clock().now(), ticket, w)
			ticket, refused, err = c.turn(p, w)
		}
		return p, ticket, refused, err
	}
	c.logWait(p, plan)
	w := c.waiter()
	p = c.partitions.lock(c.key, c.called)
	p.join(c.clock().now(), w)
	p.mu.Unlock()
	ticket, refused, err = c.turn(p, w)
	return p, ticket, refused, err
}

// turn waits until it is the waiter's turn and the Ceiling allows it.
func (c *call) turn(p *partition, w *waiter) (ticket pacer.Ticket, refused *LimitError, err error) {
	for {
		if err := w.wait(c.req.Context(), p); err != nil {
			return ticket, nil, err
		}
		if !w.granted {
			return ticket, c.limitError(p, w.plan, w.asked, w.bound.reason), nil
		}
		held, refused, err := c.underCeiling(p, w.ticket)
		if !held {
			return w.ticket, refused, err
		}
		again := c.waiter()
		again.resend = w.resend
		p.requeue(c.clock().now(), w.ticket, again)
		w = again
	}
}

// waiter returns the request's entry for the queue.
func (c *call) waiter() *waiter {
	w := &waiter{
		called:  c.called,
		bound:   c.bound(),
		expires: pacer.Never,
		cost:    requestCost,
		decided: make(chan struct{}),
	}
	if wait := c.maxWait(); wait >= 0 {
		w.expires = c.called.Add(wait)
	}
	return w
}

// bound returns the last moment at which the request may start.
func (c *call) bound() bound {
	b := bound{latest: pacer.Never}
	if wait := c.maxWait(); wait >= 0 {
		b = bound{latest: c.called.Add(wait), reason: ErrMaxWait}
	}
	if deadline, ok := c.req.Context().Deadline(); ok {
		if at := c.clock().until(deadline); at <= b.latest {
			b = bound{latest: at, reason: context.DeadlineExceeded}
		}
	}
	return b
}

// underCeiling takes a token of the Ceiling for a request that its partition
// let go, and waits for it. If it cannot have one in time, the request is
// cancelled. It is held if meanwhile a refusal has set a hold.
func (c *call) underCeiling(p *partition, ticket pacer.Ticket) (held bool, refused *LimitError, err error) {
	if c.Ceiling == nil {
		return false, nil, nil
	}
	token := c.Ceiling.Reserve()
	delay := token.Delay()
	if delay == 0 {
		return false, nil, nil
	}
	now := c.clock().now()
	b := c.bound()
	switch {
	case delay == rate.InfDuration:
		refused = c.limitError(p, pacer.Plan{At: pacer.Never}, now, ErrMaxWait)
	case now.Add(delay) > b.latest:
		refused = c.limitError(p, pacer.Plan{At: now.Add(delay)}, now, b.reason)
	default:
		err = pause(c.req.Context(), delay)
	}
	if refused != nil || err != nil {
		token.Cancel()
		p.mu.Lock()
		p.cancel(c.clock().now(), ticket)
		p.mu.Unlock()
		return false, refused, err
	}
	return p.held(c.clock().now()), nil, nil
}

// limitError says that the request was not sent, because at now it could start
// no earlier than planned.
func (c *call) limitError(p *partition, plan pacer.Plan, now pacer.Instant, reason error) *LimitError {
	e := &LimitError{Partition: p.identity.String(), Policy: plan.Policy, Err: reason}
	if plan.At < pacer.Never {
		e.RetryAt, e.Wait = c.clock().time(plan.At), plan.At.Sub(now)
	}
	return e
}

// report tells what the Transport would do about a request if it were not a shadow.
func (c *call) report(p *partition, plan pacer.Plan) {
	if plan.At <= c.called {
		return
	}
	c.logWait(p, plan)
	if b := c.bound(); b.excludes(plan) {
		c.logRefused(c.limitError(p, plan, c.called, b.reason))
	}
}
