package headway

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/headway-go/headway/internal/clock"
	"github.com/headway-go/headway/internal/eventlog"
	"github.com/headway-go/headway/internal/gate"
	"github.com/headway-go/headway/internal/registry"
	"github.com/headway-go/headway/pacer"
	"github.com/headway-go/headway/validate"
)

// reporters make the reporters of a Transport's requests.
type reporters struct {
	trace *Trace        // the caller's, joined with that of the log; nil: there is neither a Trace nor a Logger
	log   *eventlog.Log // nil: no Logger
	clock *clock.Clock
}

// A reporter tells the Trace and the log about one request. Its methods are called without any lock held. Those of a nil
// reporter do nothing.
type reporter struct {
	*reporters

	ctx   context.Context //nolint:containedctx // the request's; a reporter does not outlive the call
	wait  eventlog.Wait   // for the log
	since pacer.Instant   // when the call began, or its last response was received
	held  time.Duration   // the time that the request was delayed before since
}

// newReporters returns the reporters for a Trace and a Logger, which may be nil.
func newReporters(trace *Trace, logger *slog.Logger, c *clock.Clock, isShadow bool) reporters {
	if logger == nil {
		return reporters{trace: trace, clock: c}
	}
	log := eventlog.New(logger, c, isShadow)
	return reporters{trace: JoinTraces(trace, logTrace{log}.trace()), log: log, clock: c}
}

// of returns the reporter of a request whose call began at called; nil if nobody listens.
func (r *reporters) of(ctx context.Context, called pacer.Instant) *reporter {
	if r.trace == nil {
		return nil
	}
	return &reporter{reporters: r, ctx: ctx, since: called}
}

// evicted reports a partition that is forgotten.
func (r *reporters) evicted(e registry.Eviction) {
	if r.trace != nil && r.trace.Evicted != nil {
		r.trace.Evicted(EvictedInfo{Partition: e.Partition.Name(), Idle: e.Idle, Full: e.Full})
	}
}

// fleet reports what is wrong with the Fleet, or that its store is reachable again.
func (r *reporters) fleet(info FleetInfo) {
	if r.trace != nil && r.trace.Fleet != nil {
		r.trace.Fleet(info)
	}
}

// Waits implements gate.Watcher: the request begins to wait or, in a shadow, would.
func (r *reporter) Waits(p *gate.Partition, w *gate.Wait) {
	info := WaitingInfo{Partition: p.Name(), Policy: w.Policy, Cause: w.Cause, Queue: w.Queue, Resend: w.Resend}
	info.Until, info.Wait = publish(r.clock, w)
	if r.trace.Waiting != nil {
		r.trace.Waiting(r.ctx, info)
	}
	r.log.Begin(r.ctx, &r.wait, p, r.since, w)
}

// left reports that the request goes to Base, for the first time or again, or that it gave up waiting.
func (r *reporter) left(v *gate.Visit, resends int, isSent bool) {
	if r == nil {
		return
	}
	hook := r.trace.Abandoned
	switch {
	case isSent && resends == 0:
		hook = r.trace.Sent
	case isSent:
		hook = r.trace.Resent
	}
	r.log.End(&r.wait)
	now := r.clock.Now()
	waited := now.Sub(r.since)
	r.held, r.since = r.held+waited, now
	if hook != nil {
		hook(r.ctx, SentInfo{
			Partition: v.Partition().Name(), Held: r.held, Waited: waited, Resends: resends, Cause: v.Cause, Policy: v.Policy,
		})
	}
	v.Cause, v.Policy = "", ""
}

// refused reports that the request is not sent or, in a shadow, would not be.
func (r *reporter) refused(err *LimitError) {
	if r == nil {
		return
	}
	r.log.End(&r.wait)
	if r.trace.Refused != nil {
		r.trace.Refused(r.ctx, err)
	}
}

// read reports what a header or a trailer says about limits, and what is wrong with it. It completes info.
func (r *reporter) read(info ReadingInfo, reading *validate.Reading) {
	isNews := len(reading.Limits) > 0 || reading.RetryAfter >= 0 || reading.Verdict != validate.VerdictNone || len(reading.Problems) > 0
	if isNews && r.trace.Reading != nil {
		info.Reading = *reading
		info.Reading.Limits = slices.Clone(reading.Limits) // the reader reuses their memory
		r.trace.Reading(r.ctx, info)
	}
}

// answered reports a response: what is wrong with it, what it says about limits, and the verdict; nil if it does not
// refuse.
func (r *reporter) answered(p *gate.Partition, now pacer.Instant, status int, reading *validate.Reading, v *gate.Verdict) {
	if r == nil {
		return
	}
	r.since = now
	r.read(ReadingInfo{Partition: p.Name(), Status: status}, reading)
	if v == nil {
		return
	}
	if r.trace.Throttled != nil {
		info := ThrottledInfo{Partition: p.Name(), Status: status, Verdict: reading.Verdict, Sign: reading.Sign, Policies: reading.Violated, Resend: v.Wait != nil, IsNews: v.IsNews}
		if v.HoldEnd > now {
			info.HeldUntil, info.Hold = r.clock.Time(v.HoldEnd), v.HoldEnd.Sub(now)
		}
		r.trace.Throttled(r.ctx, info)
	}
	if w := v.Wait; w != nil && (w.At > now || w.Queue > 1) {
		r.Waits(p, w)
	}
}

// leave ends the wait of a request whose call is over, after a panic too.
func (r *reporter) leave() {
	if r != nil {
		r.log.End(&r.wait)
	}
}
