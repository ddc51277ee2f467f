package headway

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/headway-go/headway/internal/clock"
	"github.com/headway-go/headway/internal/eventlog"
	"github.com/headway-go/headway/internal/registry"
	"github.com/headway-go/headway/internal/schedule"
	"github.com/headway-go/headway/pacer"
	"github.com/headway-go/headway/validate"
)

// A reporter calls the hooks and the log about one request. Its methods are called without any lock held. The methods of a
// nil reporter do nothing.
type reporter struct {
	trace *Trace // not nil
	clock *clock.Clock
	ctx   context.Context //nolint:containedctx // the request's; a reporter does not outlive the call

	log  *eventlog.Log // nil: no Logger
	wait eventlog.Wait // what the log knows of it

	since pacer.Instant // when the call began, or its last response was received
	held  time.Duration // the time that the request was delayed before since
	name  string        // of the partition, once it was needed
}

// reporters makes reporters and reuses them.
type reporters struct {
	trace *Trace        // not nil once started, so that a hook needs one check only
	log   *eventlog.Log // nil: no Logger
	clock *clock.Clock
	isOff bool // there is neither a Trace nor a Logger
	free  sync.Pool
}

// start completes reporters of which trace and log are set.
func (r *reporters) start(c *clock.Clock) {
	r.clock, r.isOff = c, r.trace == nil && r.log == nil
	if r.trace == nil {
		r.trace = new(Trace)
	}
}

// get returns the reporter of a request whose call began at called.
func (r *reporters) get(ctx context.Context, called pacer.Instant) *reporter {
	one, _ := r.free.Get().(*reporter)
	if one == nil {
		one = new(reporter)
	}
	*one = reporter{trace: r.trace, log: r.log, clock: r.clock, ctx: ctx, since: called}
	return one
}

// put takes back a reporter, which may be nil.
func (r *reporters) put(one *reporter) {
	if one != nil {
		if r.log != nil {
			r.log.Drop(&one.wait)
		}
		*one = reporter{}
		r.free.Put(one)
	}
}

// evicted reports a partition that is forgotten.
func (r *reporters) evicted(e registry.Eviction) {
	if r.trace.Evicted != nil {
		r.trace.Evicted(EvictedInfo{Partition: e.Partition.Name(), Idle: e.Idle, Full: e.Full})
	}
	if r.log != nil {
		r.log.Evicted(e)
	}
}

// reached reports that the store of the Fleet is reachable again or, with an error, unreachable.
func (r *reporters) reached(err error) {
	if r.trace.Fleet != nil {
		r.trace.Fleet(FleetInfo{Err: err})
	}
	if r.log != nil {
		r.log.Reached(err)
	}
}

// partition returns the name of the partition.
func (r *reporter) partition(p *schedule.Partition) string {
	if r.name == "" && p != nil {
		r.name = p.Name()
	}
	return r.name
}

// Waits implements schedule.Watcher: the request begins to wait or, in a shadow, would.
func (r *reporter) Waits(p *schedule.Partition, w *schedule.Wait) {
	if r.trace.Waiting != nil {
		r.trace.Waiting(r.ctx, newWaitingInfo(r.clock, r.partition(p), w))
	}
	if r.log != nil {
		r.log.Begins(r.ctx, p, r.partition(p), &r.wait, w)
	}
}

// sent reports that the request is sent.
func (r *reporter) sent(p *schedule.Partition, resends int) {
	if r == nil {
		return
	}
	hook := r.trace.Sent
	if resends > 0 {
		hook = r.trace.Resent
	}
	r.endWait(p, resends, hook, true)
}

// abandoned reports that the request gave up waiting.
func (r *reporter) abandoned(p *schedule.Partition, resends int) {
	if r != nil {
		r.endWait(p, resends, r.trace.Abandoned, false)
	}
}

// endWait ends the wait of the request, and calls the hook and the log.
func (r *reporter) endWait(p *schedule.Partition, resends int, hook func(context.Context, SentInfo), isSent bool) {
	now := r.clock.Now()
	waited := now.Sub(r.since)
	r.held, r.since = r.held+waited, now
	if hook != nil {
		hook(r.ctx, SentInfo{Partition: r.partition(p), Held: r.held, Waited: waited, Resends: resends})
	}
	if r.log != nil {
		r.log.Left(r.ctx, r.partition(p), isSent, r.held, resends)
		r.log.Ends(r.ctx, p, r.partition(p), &r.wait, waited)
	}
}

// refused reports that the request is not sent or, in a shadow, would not be.
func (r *reporter) refused(p *schedule.Partition, refusal *schedule.Wait, err *LimitError) {
	if r == nil {
		return
	}
	if r.trace.Refused != nil {
		r.trace.Refused(r.ctx, err)
	}
	if r.log != nil {
		r.log.Refused(r.ctx, r.partition(p), refusal)
		r.log.Ends(r.ctx, p, r.partition(p), &r.wait, r.clock.Now().Sub(r.since))
	}
}

// read reports what a header or a trailer says about limits, and what is wrong with it. It completes info.
func (r *reporter) read(p *schedule.Partition, info ReadingInfo, reading *validate.Reading) {
	info.Partition = r.partition(p)
	if r.trace.Ignored != nil {
		for _, problem := range reading.Problems {
			r.trace.Ignored(r.ctx, IgnoredInfo{Partition: info.Partition, Problem: problem})
		}
	}
	isNews := len(reading.Limits) > 0 || reading.RetryAfter >= 0 || reading.Throttled
	if isNews && r.trace.Reading != nil {
		info.Reading = *reading
		info.Reading.Limits = slices.Clone(reading.Limits) // the reader reuses their memory
		r.trace.Reading(r.ctx, info)
	}
	if r.log != nil {
		r.log.Read(r.ctx, info.Partition, info.Status, reading)
	}
}

// answered reports a response: what is wrong with it, what it says about limits, and the verdict.
func (r *reporter) answered(p *schedule.Partition, now pacer.Instant, status int, reading *validate.Reading, violated []string, v *schedule.Verdict) {
	if r == nil {
		return
	}
	r.since = now
	r.read(p, ReadingInfo{Status: status}, reading)
	partition := r.partition(p)
	if v == nil { // the response does not refuse
		return
	}
	if r.trace.Throttled != nil {
		info := ThrottledInfo{Partition: partition, Status: status, Policies: violated, Resend: v.Wait != nil}
		if v.HoldEnd > now {
			info.HeldUntil, info.Hold, info.IsNews = r.clock.Time(v.HoldEnd), v.HoldEnd.Sub(now), v.IsNews
		}
		r.trace.Throttled(r.ctx, info)
	}
	if r.log != nil {
		r.log.Throttled(r.ctx, partition, now, status, violated, v)
	}
	if w := v.Wait; w != nil && (w.At > now || w.Queue > 1) {
		r.Waits(p, w)
	}
}
