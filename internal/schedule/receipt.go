package schedule

import (
	"github.com/headway-go/headway/internal/cost"
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
	if real, isWrong := r.corrected(now, costs); isWrong {
		p.pacer.Charge(now, &real, &r.ticket)
		r.cost = real
	}
	p.used = now
	p.resize()
	p.wantPart()
	p.settle(now)
	return now, verdict, true
}

// corrected returns what the request is to be charged in place of the cost that was reserved for it.
func (r *Receipt) corrected(now pacer.Instant, costs map[limits.Unit]int64) (c pacer.Cost, isWrong bool) {
	if len(costs) == 0 {
		return c, false
	}
	p := &r.partition.pacer
	return cost.Correct(&r.cost, p.Units(), costs, cost.NewProgress(now, r.answered, p.State(now).Limits))
}
