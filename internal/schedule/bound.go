package schedule

import (
	"context"
	"time"

	"github.com/headway-go/headway/internal/clock"
	"github.com/headway-go/headway/pacer"
)

// A bound is the last moment at which a request may start, and why.
type bound struct {
	latest   pacer.Instant
	deadline bool          // latest is the context's deadline, else it is the end of MaxWait
	expires  pacer.Instant // when MaxWait ends the wait, whatever is planned
}

// boundOf returns the bound of a request that was called then. A negative maxWait is none.
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

// excludes reports whether a plan starts the request too late. A plan that rests on nothing that a server told
// excludes no request.
func (b bound) excludes(plan *pacer.Plan) bool { return plan.Known && plan.At > b.latest }

// isBounded reports whether a request may come too late at all: whether its context has a deadline, or MaxWait bounds
// its wait.
func (b bound) isBounded() bool { return b.latest < pacer.Never }

// A Refusal says that a request was not sent, because it could start no earlier than planned.
type Refusal struct {
	pacer.Plan               // At is Never: no start is known
	Now        pacer.Instant // when it was refused
	Deadline   bool          // the context's deadline is the reason, else MaxWait is
}

func (b bound) refusal(now pacer.Instant, plan *pacer.Plan) *Refusal {
	// No deadline is late enough for what never comes.
	return &Refusal{Plan: *plan, Now: now, Deadline: b.deadline && plan.At < pacer.Never}
}

// A Delay is a wait as it begins.
type Delay struct {
	pacer.Plan

	Queue   int  // requests that wait in the partition, this one included; 0: it waits for the Ceiling
	Resend  bool // it was sent before, and throttled
	Ceiling bool // it waits for the Ceiling
}

// A Watcher is told that a request has to wait, before it does. No lock is held.
type Watcher interface {
	Waits(p *Partition, now pacer.Instant, d Delay)
}
