package schedule

import (
	"context"
	"time"

	"github.com/headway-go/headway/internal/clock"
	"github.com/headway-go/headway/pacer"
)

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
	Ceiling    bool          // the request would wait for the Ceiling
}

func (b bound) refusal(now pacer.Instant, plan *pacer.Plan) *Refusal {
	// Without a planned start no deadline would be late enough, so the deadline is not the reason.
	return &Refusal{Plan: *plan, Now: now, Deadline: b.deadline && plan.At < pacer.Never, Ceiling: b.ceiling}
}
