package headway

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/headway-go/headway/internal/clock"
	"github.com/headway-go/headway/internal/registry"
	"github.com/headway-go/headway/internal/schedule"
	"github.com/headway-go/headway/pacer"
	"github.com/headway-go/headway/validate"
)

// A teller calls the hooks and the log about one request. Its methods are called without any lock held. The methods of a
// nil teller do nothing.
type teller struct {
	trace *Trace
	clock *clock.Clock
	ctx   context.Context //nolint:containedctx // the request's; a teller does not outlive the call

	log    *log  // nil: no Logger
	cause  Cause // why the request waited last
	policy string

	since pacer.Instant // when the call began, or its last response was received
	held  time.Duration // the time that the request was delayed before since
	name  string        // of the partition, once it was needed
}

// tellers makes tellers and reuses them.
type tellers struct {
	trace *Trace // Trace and Logger in one; nil: no Trace and no Logger
	log   *log   // nil: no Logger
	clock *clock.Clock
	free  sync.Pool
}

// get returns the teller of a request whose call began at called.
func (t *tellers) get(ctx context.Context, called pacer.Instant) *teller {
	one, _ := t.free.Get().(*teller)
	if one == nil {
		one = new(teller)
	}
	*one = teller{trace: t.trace, log: t.log, clock: t.clock, ctx: ctx, since: called}
	return one
}

// put takes back a teller, which may be nil.
func (t *tellers) put(one *teller) {
	if one != nil {
		*one = teller{}
		t.free.Put(one)
	}
}

// evicted reports a partition that is forgotten.
func (t *tellers) evicted(e registry.Eviction) {
	if t.trace != nil && t.trace.Evicted != nil {
		t.trace.Evicted(EvictedInfo{Partition: e.Partition.Key().String(), Idle: e.Now.Sub(e.Used), Full: e.Full})
	}
}

// reached reports that the store of the Fleet is reachable again or, with an error, unreachable.
func (t *tellers) reached(err error) {
	if t.trace != nil && t.trace.Fleet != nil {
		t.trace.Fleet(FleetInfo{Err: err})
	}
}

// partition returns the name of the partition.
func (t *teller) partition(p *schedule.Partition) string {
	if t.name == "" && p != nil {
		t.name = p.Name()
	}
	return t.name
}

// Waits implements schedule.Watcher: the request begins to wait or, in a shadow, would.
func (t *teller) Waits(p *schedule.Partition, now pacer.Instant, d schedule.Delay) {
	if t.trace.Waiting == nil {
		return
	}
	info := WaitingInfo{
		Partition: t.partition(p), Policy: d.Policy, Cause: causeOf(d),
		Queue: d.Queue, Age: pacer.Unknown, Resend: d.Resend,
	}
	if d.At < pacer.Never {
		info.Until, info.Wait = t.clock.Time(d.At), max(0, d.At.Sub(now))
	}
	if d.Cause != pacer.CauseNone {
		info.Age = d.Age
	}
	t.trace.Waiting(t.ctx, info)
	if t.log != nil {
		t.cause, t.policy = info.Cause, info.Policy
		t.log.begins(t.ctx, p, info, d.Known || d.Ceiling)
		t.log.settle(t.ctx, info.Partition)
	}
}

// causeOf returns the Cause of a delay.
func causeOf(d schedule.Delay) Cause {
	if d.Ceiling {
		return CauseCeiling
	}
	switch d.Cause {
	case pacer.CauseHold:
		return CauseHold
	case pacer.CauseQuota:
		return CauseQuota
	case pacer.CausePace:
		return CausePace
	case pacer.CauseTrial:
		return CauseTrial
	case pacer.CauseStart:
		return CauseStart
	case pacer.CausePlaces:
		return CausePlaces
	}
	return CauseQueue
}

// sent reports that the request is sent.
func (t *teller) sent(p *schedule.Partition, resends int) {
	if t == nil {
		return
	}
	hook := t.trace.Sent
	if resends > 0 {
		hook = t.trace.Resent
	}
	t.tellSent(p, resends, hook)
}

// abandoned reports that the request gave up waiting.
func (t *teller) abandoned(p *schedule.Partition, resends int) {
	if t != nil {
		t.tellSent(p, resends, t.trace.Abandoned)
	}
}

// tellSent ends the wait of the request and calls the hook.
func (t *teller) tellSent(p *schedule.Partition, resends int, hook func(context.Context, SentInfo)) {
	now := t.clock.Now()
	waited := now.Sub(t.since)
	t.held, t.since = t.held+waited, now
	if hook != nil {
		hook(t.ctx, SentInfo{Partition: t.partition(p), Held: t.held, Waited: waited, Resends: resends})
	}
	t.stopsWaiting(p, waited)
}

// stopsWaiting tells the log that the request does not wait any more, if it did.
func (t *teller) stopsWaiting(p *schedule.Partition, waited time.Duration) {
	if t.log != nil {
		t.log.ends(t.ctx, p, WaitingInfo{Partition: t.partition(p), Cause: t.cause, Policy: t.policy}, waited)
		t.log.settle(t.ctx, t.partition(p))
	}
}

// refused reports that the request is not sent or, in a shadow, would not be.
func (t *teller) refused(p *schedule.Partition, err *LimitError) {
	if t == nil {
		return
	}
	if t.trace.Refused != nil {
		t.trace.Refused(t.ctx, err)
	}
	if t.log != nil {
		t.log.refuses(t.ctx, err)
		t.stopsWaiting(p, t.clock.Now().Sub(t.since))
	}
}

// answered reports a response: what is wrong with it, what it says about limits, and the verdict.
func (t *teller) answered(p *schedule.Partition, now pacer.Instant, status int, reading *validate.Reading, violated []string, v *schedule.Verdict) {
	if t == nil {
		return
	}
	t.since = now
	partition := t.partition(p)
	if t.trace.Ignored != nil {
		for _, problem := range reading.Problems {
			t.trace.Ignored(t.ctx, IgnoredInfo{Partition: partition, Problem: problem})
		}
	}
	isNews := len(reading.Limits) > 0 || reading.RetryAfter >= 0 || reading.Throttled
	if isNews && t.trace.Reading != nil {
		told := *reading
		told.Limits = slices.Clone(reading.Limits) // the reader reuses their memory
		t.trace.Reading(t.ctx, ReadingInfo{Partition: partition, Status: status, Reading: told})
	}
	if t.log != nil {
		t.log.settle(t.ctx, partition)
	}
	if v == nil { // the response does not refuse
		return
	}
	if t.trace.Throttled != nil {
		info := ThrottledInfo{Partition: partition, Status: status, Policies: violated, Resend: v.Resend}
		if v.HoldEnd > now {
			info.HeldUntil, info.Hold, info.IsNews = t.clock.Time(v.HoldEnd), v.HoldEnd.Sub(now), v.IsNews
		}
		t.trace.Throttled(t.ctx, info)
	}
	if d := v.Delay; d != nil && (d.At > now || d.Queue > 1) {
		t.Waits(p, now, *d)
	}
}
