package schedule

import (
	"github.com/headway-go/headway/pacer"
)

// A Need says how much a partition is needed.
type Need uint8

// The needs, in ascending order.
const (
	Nothing Need = iota // all that it knows is of no use any more
	Known               // it knows something about windows that are open
	Held                // a hold is in force
	InUse               // a request waits or is in flight
)

// Needed returns when the partition was last used, and how much it is needed. Whoever has its lock at this very moment
// is using it.
func (p *Partition) Needed(now pacer.Instant) (used pacer.Instant, need Need) {
	if !p.mu.TryLock() {
		return now, InUse
	}
	defer p.mu.Unlock()
	return p.dispatcher.used, p.dispatcher.need(now)
}

// Retire forgets the partition for good if it is needed no more than most, and was not used after since. Requests that
// are about to enter it get ErrForgotten.
func (p *Partition) Retire(now, since pacer.Instant, most Need) (used pacer.Instant, gone bool) {
	if !p.mu.TryLock() {
		return now, false
	}
	defer p.mu.Unlock()
	if p.dispatcher.used <= since && p.dispatcher.need(now) <= most {
		p.dispatcher.isForgotten.Store(true)
		p.dispatcher.Memory.Add(-int64(p.dispatcher.size))
		p.dispatcher.size = 0
	}
	return p.dispatcher.used, p.dispatcher.isForgotten.Load()
}

// IsForgotten reports whether the partition is no longer the one of its key.
func (p *Partition) IsForgotten() bool { return p.dispatcher.isForgotten.Load() }

func (d *dispatcher) need(now pacer.Instant) Need {
	switch {
	case d.isNeeded():
		return InUse
	case d.pacer.Held(now):
		return Held
	case !d.pacer.Idle(now):
		return Known
	}
	return Nothing
}

// Forget drops all that was learned. Requests that wait are planned anew; those in flight stay counted.
func (p *Partition) Forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	d := &p.dispatcher
	now := d.Clock.Now()
	d.pacer.Forget()
	d.queue().Unplan()
	p.dispatcher.note().forgets++
	p.dispatcher.notes.plain503s = nil
	p.dispatcher.resize()
	d.settle(now, p)
}
