package headway

import (
	"net/http"

	"github.com/headway-go/headway/pacer"
	"github.com/headway-go/headway/validate"
)

// This file tells the hooks and the log what happens. Nothing here is called with a lock
// held, and next to nothing is done if nobody listens.

// observed reports whether anybody listens.
func (t *Transport) observed() bool { return t.Trace != nil || t.Logger != nil }

// hooks are those that are set, none if there is no Trace.
func (t *Transport) hooks() Trace {
	if t.Trace == nil {
		return Trace{}
	}
	return *t.Trace
}

// A delay is a wait as it begins.
type delay struct {
	pacer.Plan

	cause  Cause // CauseQueue or CauseCeiling; "": the plan says it
	queue  int   // requests that wait, this one included
	resend bool
}

// observeWait tells of a request that has to wait or, in a shadow, would have to.
func (c *call) observeWait(now pacer.Instant, d *delay) {
	if !c.observed() || d.cause == "" && d.At <= now && d.queue <= 1 {
		return
	}
	info := WaitingInfo{
		Partition: c.name(), Policy: d.Policy, Cause: d.why(),
		Queue: d.queue, Age: pacer.Unknown, Resend: d.resend,
	}
	if d.At < pacer.Never {
		info.Until, info.Wait = c.clock().Time(d.At), max(0, d.At.Sub(now))
	}
	if d.Cause != pacer.CauseNone {
		info.Age = d.Age
	}
	if hook := c.hooks().Waiting; hook != nil {
		hook(c.req.Context(), info)
	}
	c.logWait(&info)
}

// why is the cause of the wait.
func (d *delay) why() Cause {
	if d.cause != "" {
		return d.cause
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

// observeSent tells that the request goes to the wire.
func (c *call) observeSent() {
	if !c.observed() {
		return
	}
	info := c.endWait()
	hooks := c.hooks()
	hook := hooks.Sent
	if c.resends > 0 {
		hook = hooks.Resent
	}
	if hook != nil {
		hook(c.req.Context(), info)
	}
	c.logSent("request is sent", &info)
}

// observeAbandoned tells that the request's context has ended while it waited.
func (c *call) observeAbandoned() {
	if !c.observed() {
		return
	}
	info := c.endWait()
	if hook := c.hooks().Abandoned; hook != nil {
		hook(c.req.Context(), info)
	}
	c.logSent("request is abandoned", &info)
}

// endWait takes the time since the request was last free to go as waited.
func (c *call) endWait() SentInfo {
	now := c.clock().Now()
	waited := now.Sub(c.free)
	c.held, c.free = c.held+waited, now
	return SentInfo{Partition: c.name(), Held: c.held, Waited: waited, Resends: c.resends}
}

// observeRefused tells that the request is not sent or, in a shadow, would not be.
func (c *call) observeRefused(err *LimitError) {
	if hook := c.hooks().Refused; hook != nil {
		hook(c.req.Context(), err)
	}
	c.logRefused(err)
}

// observeAnswer tells what a response has said, and what came of it.
func (c *call) observeAnswer(now pacer.Instant, resp *http.Response, reading *validate.Reading, violated []string, v verdict) {
	if !c.observed() {
		return
	}
	partition, hooks, ctx := c.name(), c.hooks(), c.req.Context()
	for _, problem := range reading.Problems {
		if hooks.Ignored != nil {
			hooks.Ignored(ctx, IgnoredInfo{Partition: partition, Problem: problem})
		}
		c.logIgnored(problem)
	}
	if len(reading.Limits) > 0 || reading.RetryAfter >= 0 || reading.Throttled {
		if hooks.Reading != nil {
			hooks.Reading(ctx, ReadingInfo{Partition: partition, Status: resp.StatusCode, Reading: *reading})
		}
		c.logReading(resp.StatusCode, reading)
	}
	if !reading.Throttled {
		return
	}
	info := ThrottledInfo{Partition: partition, Status: resp.StatusCode, Policies: violated, Resend: v.queued}
	if v.holdEnd > now {
		info.HeldUntil, info.Hold = c.clock().Time(v.holdEnd), v.holdEnd.Sub(now)
	}
	if hooks.Throttled != nil {
		hooks.Throttled(ctx, info)
	}
	c.logThrottled(&info, v.isNews)
}

// observeEvicted tells that a partition is forgotten.
func (t *Transport) observeEvicted(gone eviction) {
	info := EvictedInfo{Partition: gone.key.String(), Idle: gone.idle, Full: gone.full}
	if hook := t.hooks().Evicted; hook != nil {
		hook(info)
	}
	t.logEvicted(&info)
}

// observeFleet tells of the Fleet's store.
func (t *Transport) observeFleet(info FleetInfo) {
	if hook := t.hooks().Fleet; hook != nil {
		hook(info)
	}
	t.logFleet(&info)
}

// name is that of the request's partition.
func (c *call) name() string {
	if c.told == "" {
		c.told = c.partition.name()
	}
	return c.told
}

// name returns that of the partition. It is made but once, as it takes time, and each
// request may be told of. It locks p.mu.
func (p *partition) name() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.note()
	if n.name == "" {
		n.name = p.key.String()
	}
	return n.name
}
