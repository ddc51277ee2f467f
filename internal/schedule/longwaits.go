package schedule

import (
	"time"

	"github.com/headway-go/headway/pacer"
)

// Last returns the plan of the request in the queue that is to start last, as far as that can be estimated. It reports
// false if the queue is empty.
func (p *Partition) Last() (plan pacer.Plan, wait time.Duration, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	d := &p.dispatcher
	now := d.Clock.Now()
	for _, w := range d.queue().Firsts() {
		next := d.pacer.Plan(now, int64(d.queue().Len()-1), &w.Value.cost)
		if !ok || next.At > plan.At {
			plan, ok = next, true
		}
	}
	if ok && plan.At < pacer.Never {
		wait = max(0, plan.At.Sub(now))
	}
	return plan, wait, ok
}
