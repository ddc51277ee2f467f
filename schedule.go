package headway

import (
	"time"

	"github.com/headway-go/headway/internal/clock"
	"github.com/headway-go/headway/pacer"
)

// replanAfter is by how much a hold has to be lengthened for all waiters to be planned
// anew, which takes time in proportion to their number: refusals that come together each
// count a Retry-After from their own moment.
const replanAfter = 100 * time.Millisecond

// join queues w, or refuses it.
func (p *partition) join(now pacer.Instant, w *waiter) {
	if plan, ok := p.enqueue(now, w); !ok {
		p.refuse(now, w, plan)
		return
	}
	p.settle(now)
	p.wantPart()
}

// enqueue queues w unless its planned start comes too late for it.
func (p *partition) enqueue(now pacer.Instant, w *waiter) (pacer.Plan, bool) {
	plan := p.pacer.Plan(now, p.ahead(&w.cost, w.resend, w.priority), &w.cost)
	if w.bound.excludes(plan) || w.resend && now > w.bound.latest { // whatever the plan rests on
		return plan, false
	}
	if p.queue == nil {
		p.queue = &queue{}
	}
	p.queue.push(w, p.kindOf(&w.cost), plan)
	return plan, true
}

// ahead returns the cost, in requests, of the waiters that a request joining now
// would have before it at limits that it uses, but for the turns of the oldest.
func (p *partition) ahead(cost *pacer.Cost, resend bool, priority int) (ahead int64) {
	if p.queue == nil {
		return 0
	}
	k, limits := p.kindOf(cost), p.limits(cost)
	for _, l := range p.queue.lines {
		if l.kind == k || meet(limits, p.limits(&l.first().cost)) {
			ahead += l.ahead(resend, priority)
		}
	}
	return ahead
}

// limits is the set of those that requests of that cost keep to.
func (p *partition) limits(cost *pacer.Cost) pacer.LimitSet {
	return p.pacer.Uses(cost) &^ pacer.Everything
}

// meet reports whether requests that keep to these limits are in each other's way.
// Where nothing is told, all are.
func meet(a, b pacer.LimitSet) bool { return a.Meets(b) || a == 0 && b == 0 }

// settle brings the queue up to date after an event: it grants what may go
// now, refuses what cannot start in time, and sets the timer for the rest. After
// a grant it leaves the rest to the granted waiter, see passOn.
func (p *partition) settle(now pacer.Instant) {
	q := p.queue
	if q == nil {
		return
	}
	for !q.passing && len(q.lines) > 0 {
		if next, done := p.settleFirsts(now); done {
			p.setAlarm(now, min(next, q.expires))
			return
		}
	}
	if q.passing {
		return
	}
	if q.timer != nil {
		q.timer.Stop()
	}
	p.queue = nil
}

// settleFirsts grants or refuses one waiter, or finds when the next one can start,
// for which done is true. The first of each line is looked at in turn. Those behind a
// limit that one before them waits for do not pass it there.
func (p *partition) settleFirsts(now pacer.Instant) (next pacer.Instant, done bool) {
	var waitedFor pacer.LimitSet
	next = pacer.Never
	for _, w := range p.queue.order() {
		if waitedFor != 0 && waitedFor.Meets(p.pacer.Uses(&w.cost)) {
			continue
		}
		plan := p.pacer.Plan(now, 0, &w.cost)
		switch {
		case w.bound.excludes(plan):
			p.refuse(now, w, plan)
			return 0, false
		case plan.At <= now:
			p.grant(now, w)
			return 0, false
		case plan.Known && !w.line.known:
			p.replan(now)
			return 0, false
		}
		next, waitedFor = min(next, plan.At), waitedFor|plan.For
	}
	if late := p.queue.expired(now); late != nil {
		p.refuse(now, late, p.pacer.Plan(now, 0, &late.cost))
		return 0, false
	}
	return next, true
}

// replan refuses the waiters whose start is too late, as planned now: a hold was set,
// or the limits of some have become known.
func (p *partition) replan(now pacer.Instant) {
	if p.queue == nil {
		return
	}
	lines := make(map[*line]*replanned, len(p.queue.lines))
	for _, l := range p.queue.lines {
		lines[l] = &replanned{limits: p.limits(&l.first().cost)}
		l.known = true
	}
	for _, w := range p.queue.all() {
		own := lines[w.line]
		plan := p.pacer.Plan(now, own.ahead, &w.cost)
		if w.bound.excludes(plan) {
			p.refuse(now, w, plan)
			continue
		}
		for _, other := range lines {
			if other == own || meet(own.limits, other.limits) {
				other.ahead += w.cost.Requests
			}
		}
	}
}

// replanned is a line that is planned anew.
type replanned struct {
	limits pacer.LimitSet
	ahead  int64 // cost, in requests, of those who go before the next one
}

func (p *partition) setAlarm(now, at pacer.Instant) {
	q := p.queue
	switch {
	case q.timer == nil:
		q.timer = clock.After(at.Sub(now), p.wake)
	case q.alarm != at:
		q.timer.Reset(at.Sub(now))
	}
	q.alarm = at
}

// wake is what the timer calls. It locks p.mu.
func (p *partition) wake() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.settle(p.clock.Now())
}

func (p *partition) grant(now pacer.Instant, w *waiter) {
	p.countTurn(w)
	p.queue.remove(w)
	w.ticket, w.granted = p.send(now, &w.cost), true
	p.queue.passing = !w.resend // who is to be resent may still be busy with the last response
	close(w.decided)
}

// countTurn counts a turn for the lines that wait for what w takes.
func (p *partition) countTurn(w *waiter) {
	if w.resend {
		return
	}
	limits := p.limits(&w.cost)
	for _, l := range p.queue.lines {
		if l == w.line || meet(limits, p.limits(&l.first().cost)) {
			l.turns++
		}
	}
}

// passOn is called by a waiter that was granted, before it goes on: the next
// one is granted only now. So those that may go all at once start in order, and
// no one holds the lock for as long as it takes to grant them all. It locks p.mu.
func (p *partition) passOn(w *waiter) {
	if w.resend {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.queue.passing = false
	p.settle(p.clock.Now())
}

func (p *partition) refuse(now pacer.Instant, w *waiter, plan pacer.Plan) {
	if w.line != nil {
		p.queue.remove(w)
	}
	w.plan, w.refusedAt = plan, now
	close(w.decided)
}

// leave takes back w, whose context has ended, be it queued or just granted. It
// reports false if w was refused in the same instant. It locks p.mu.
func (p *partition) leave(w *waiter) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.clock.Now()
	switch {
	case w.line != nil:
		p.queue.remove(w)
		p.used = now
		p.settle(now)
		return true
	case w.granted:
		if !w.resend {
			p.queue.passing = false
		}
		p.cancel(now, &w.ticket)
		return true
	default:
		return false
	}
}

// requeue takes back a request that was let go and never reached Base, and has w
// wait in its place. It locks p.mu.
func (p *partition) requeue(ticket *pacer.Ticket, w *waiter) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.clock.Now()
	p.cancel(now, ticket) // first, for w is not to be planned behind itself
	p.join(now, w)
}
