package gate

import (
	"time"

	"github.com/headway-go/headway/internal/identity"
	"github.com/headway-go/headway/limits"
)

// activeFor is how long a partition is reported to the fleet after its last request. Shorter takes quota from clients that
// pause, longer reserves quota for clients that have finished.
const activeFor = 30 * time.Second

// Share sets the partition's names in the fleet, and for users. The partition sends to wants when a request waits that a larger
// part of the quota might let go. awaits says that a first part can be expected. Share is called before any other goroutine has
// the partition.
func (p *Partition) Share(name identity.Name, shown string, wants chan<- struct{}, awaits bool) {
	p.shared, p.name, p.wants = string(name), shown, wants
	if awaits && !p.settings.Shadow {
		p.pacer.AwaitParts()
	}
}

// Usage returns how much of each quota the partition uses, for the fleet. active is false if the fleet need not know.
func (p *Partition) Usage() (u limits.Usage, active bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	if !p.isNeeded() && !p.pacer.Held(now) && now.Sub(p.used) > activeFor {
		return u, false
	}
	u = p.pacer.Usage(now, p.queue.using)
	u.Name = p.shared
	return u, true
}

// Apportion applies the part of each quota that the fleet allots to this process.
func (p *Partition) Apportion(parts *limits.Parts) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	before := p.pacer.Held(now)
	p.pacer.Apportion(now, parts, p.settings.MaxHold)
	if !before && p.pacer.Held(now) {
		p.replan(now)
	}
	p.settle(now)
}

// wantPart asks the fleet for a larger part if a request waits.
func (p *Partition) wantPart() {
	if p.queue.isEmpty() || p.wants == nil || !p.pacer.PartMayGrow() {
		return
	}
	select {
	case p.wants <- struct{}{}:
	default: // the fleet knows already
	}
}
