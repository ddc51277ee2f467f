package schedule

import (
	"time"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/pacer"
)

// A Receipt identifies a request whose response has come, for what is learned about limits only later. It must not be
// used concurrently.
type Receipt struct {
	partition *Partition
	ticket    pacer.Ticket
	cost      pacer.Cost
	answered  pacer.Instant // just before the response was applied
	forgets   int           // the partition's forgets at that time
}

// Receipt returns the receipt of a request that was sent. It is called before Answered or Served.
func (v *Visit) Receipt() Receipt {
	p := v.partition
	p.lock()
	defer p.mu.Unlock()
	return Receipt{
		partition: p, ticket: v.ticket, cost: v.cost,
		answered: p.now(), forgets: p.forgets(),
	}
}

// Partition returns the partition of the request.
func (r *Receipt) Partition() *Partition { return r.partition }

// Report applies what was learned after the response: first a, as if a free request had been answered so, and then the
// real costs. While everything is held, only a refusal counts. The verdict is nil unless a refuses. ok is false if the
// partition has forgotten the request.
func (r *Receipt) Report(a *pacer.Answer, costs map[limits.Unit]int64) (now pacer.Instant, verdict *Verdict, ok bool) {
	p := r.partition
	p.lock()
	defer p.mu.Unlock()
	now = p.now()
	if p.isForgotten.Load() || r.forgets != p.forgets() {
		return now, nil, false
	}
	if !a.Refused && p.pacer.State(now).HeldUntil > now {
		return now, nil, true
	}
	if a.Refused || len(a.Limits) > 0 {
		var later pacer.Ticket // than those of the requests whose responses may still come
		p.pacer.Charge(now, &pacer.Cost{Others: new([pacer.MaxOthers]int64), Route: r.cost.Route, Key: r.cost.Key}, &later)
		verdict = p.answered(now, &later, a)
	}
	if cost, isWrong := p.corrected(now, r, costs); isWrong {
		p.pacer.Charge(now, &cost, &r.ticket)
		r.cost = cost
	}
	p.used = now
	p.resize()
	p.wantPart()
	p.settle(now)
	return now, verdict, true
}

// corrected returns what a request is to be charged in place of the reserved cost. A limit whose remaining quota a response
// or a report has told since is not charged: that number settles the cost. Nothing is given back of a window that has
// ended: the units would come out of the next one, to which other requests belong. isWrong is false if nothing has to
// change.
func (p *Partition) corrected(now pacer.Instant, r *Receipt, costs map[limits.Unit]int64) (cost pacer.Cost, isWrong bool) {
	if len(costs) == 0 {
		return cost, false
	}
	open, ended := p.untold(now, r.answered)
	charge := func(unit limits.Unit, reserved int64) int64 {
		n, isKnown := costs[unit]
		switch {
		case !open[unit]:
			return 0
		case isKnown && ended[unit] && (reserved < 0 || n <= reserved):
			return reserved
		case isKnown && n >= 0:
			isWrong = true
			return min(n, pacer.MostCost)
		}
		return reserved
	}
	cost = r.cost
	cost.Requests, cost.Others = charge(limits.Requests, r.cost.Requests), new([pacer.MaxOthers]int64)
	for i, unit := range p.pacer.Units() {
		reserved := int64(0) // no limit in this unit was known
		if r.cost.Others != nil {
			reserved = r.cost.Others[i]
		}
		cost.Others[i] = charge(unit, reserved)
	}
	return cost, isWrong
}

// rounding is more than what the pacer rounds ReportedAt by.
const rounding = time.Microsecond

// untold returns the units with a limit whose remaining quota nothing has told since then, and those with a limit whose
// window has ended since then.
func (p *Partition) untold(now, since pacer.Instant) (open, ended map[limits.Unit]bool) {
	open, ended = make(map[limits.Unit]bool), make(map[limits.Unit]bool)
	for _, l := range p.pacer.State(now).Limits {
		if l.Remaining == limits.Unknown || l.ReportedAt.Add(rounding) < since {
			open[l.Unit] = true
		}
		if begun := now.Add(-l.Window); l.Window > 0 && (begun > since || !l.Refills && l.LatestEnd > 0 && l.LatestEnd.Add(-l.Window) > since) {
			ended[l.Unit] = true
		}
	}
	return open, ended
}
