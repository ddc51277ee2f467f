package schedule

import (
	"github.com/headway-go/headway/pacer"
)

// A Need says how much would be lost with a partition.
type Need uint8

// The needs, in ascending order.
const (
	Nothing Need = iota // nothing that it knows is of use any more
	Known               // it knows limits whose windows are open
	Held                // a hold is in force
	InUse               // a request waits or is in flight
)

// Needed returns when the partition was last used, and how much it is needed. A partition whose lock is taken is in use.
func (p *Partition) Needed(now pacer.Instant) (used pacer.Instant, need Need) {
	if !p.mu.TryLock() {
		return now, InUse
	}
	defer p.mu.Unlock()
	return p.used, p.need(now)
}

// Retire drops the partition for good, unless its need is above most or it was used after since. Requests that enter it
// later get ErrForgotten.
func (p *Partition) Retire(now, since pacer.Instant, most Need) (used pacer.Instant, gone bool) {
	if !p.mu.TryLock() {
		return now, false
	}
	defer p.mu.Unlock()
	if p.used <= since && p.need(now) <= most {
		p.isForgotten.Store(true)
	}
	return p.used, p.isForgotten.Load()
}

// IsForgotten reports whether the partition was dropped by Retire.
func (p *Partition) IsForgotten() bool { return p.isForgotten.Load() }

func (p *Partition) need(now pacer.Instant) Need {
	switch {
	case p.isNeeded():
		return InUse
	case p.pacer.Held(now):
		return Held
	case !p.pacer.Idle(now):
		return Known
	}
	return Nothing
}

// Forget drops all that was learned. Waiting requests are planned again; requests in flight stay counted.
func (p *Partition) Forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	p.pacer.Forget()
	p.queue().Unplan()
	p.note().forgets++
	p.settle(now)
}
