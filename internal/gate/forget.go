package gate

import (
	"time"

	"github.com/headway-go/headway/pacer"
)

// idleFor is how long an idle partition without useful knowledge is kept. Longer takes memory, shorter makes partitions
// again more often.
const idleFor = 5 * time.Minute

// Retire drops the partition for good: requests that enter it later get ErrForgotten. It stays while a request waits or is
// in flight or a hold is in force and, unless its room is needed, while it knows of limits and for idleFor after its last
// use.
func (p *Partition) Retire(now pacer.Instant, isRoomNeeded bool) (idle time.Duration, isGone bool) {
	if !p.mu.TryLock() { // a request has it
		return 0, false
	}
	defer p.mu.Unlock()
	if p.isNeeded() {
		p.used = now // a fast Answered does not note the end of a request
		return 0, false
	}
	idle = now.Sub(p.used)
	p.isForgotten = !p.pacer.Held(now) && (isRoomNeeded || idle >= idleFor && p.pacer.Idle(now))
	return idle, p.isForgotten
}

// Forget drops all that was learned. Waiting requests are planned again; requests in flight stay counted.
func (p *Partition) Forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	p.pacer.Forget()
	p.final = ""
	for _, l := range p.queue.lines {
		l.planned = false
	}
	p.forgets++
	p.settle(now)
}
