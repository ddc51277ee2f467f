package gate

import (
	"strconv"
	"time"

	"github.com/headway-go/headway/internal/identity"
	"github.com/headway-go/headway/internal/share"
	"github.com/headway-go/headway/pacer"
)

// activeFor is how long a partition is reported to the fleet after its last request. Shorter takes quota from clients that
// pause, longer reserves quota for clients that have finished.
const activeFor = 30 * time.Second

// A membership is the partition's part in a fleet.
type membership struct {
	shared  identity.Name   // its name in the fleet; "": no fleet
	wants   chan<- struct{} // see share.Fleet
	members int             // processes of the fleet that share the quotas
}

// Share sets the partition's name in the fleet. The partition sends to wants when a request waits that a larger part of
// the quota might let go. Share is called before any other goroutine has the partition.
func (p *Partition) Share(name identity.Name, wants chan<- struct{}) {
	p.shared, p.wants = name, wants
}

// Usage returns how much of each quota the partition uses, for the fleet. active is false if the fleet need not know.
func (p *Partition) Usage(names identity.NameKey) (u share.PartitionUsage, active bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	isActive := p.isNeeded() || p.pacer.Held(now) || now.Sub(p.used) <= activeFor
	if p.shared == "" || !isActive {
		return u, false
	}
	known := p.pacer.Usage(now)
	u = share.PartitionUsage{
		Name: string(p.shared), Waiting: p.queue.len(),
		HeldUntil: p.settings.Clock.TimeOrZero(known.HeldUntil),
	}
	for i := range known.Limits {
		l := &known.Limits[i]
		u.Limits = append(u.Limits, share.LimitUsage{
			ID: limitID(names, l), Spent: l.Spent, Waiting: p.queue.using(l.At), Ends: p.settings.Clock.TimeOrZero(l.End),
			ReportedAt: p.settings.Clock.TimeOrZero(l.ReportedAt), HeldUntil: p.settings.Clock.TimeOrZero(l.HeldUntil),
		})
	}
	return u, true
}

// limitID is a limit's name in the fleet. It is a hash, as servers may put names of users into their policies.
func limitID(names identity.NameKey, l *pacer.LimitUsage) string {
	return string(names.Of("limit", l.Policy, l.PartitionKey, string(l.Unit), strconv.FormatInt(l.Nameless, 10)))
}

// SharedName is the partition's name in the fleet; "" if there is no fleet.
func (p *Partition) SharedName() identity.Name {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.shared
}

// Apportion applies the part of each quota that the fleet allots to this process. Holds are cut to maxReset from now.
func (p *Partition) Apportion(names identity.NameKey, in *share.PartitionPart, maxReset time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	parts := p.parts(now, names, in, now.Add(maxReset))
	p.members = in.Members
	before := p.pacer.Held(now)
	p.pacer.Apportion(now, &parts)
	if !before && p.pacer.Held(now) {
		p.replan(now)
	}
	p.settle(now)
}

// parts translates what the fleet allots for the pacer. No hold ends after furthest.
func (p *Partition) parts(now pacer.Instant, names identity.NameKey, in *share.PartitionPart, furthest pacer.Instant) pacer.Parts {
	parts := pacer.Parts{
		Until:     p.settings.Clock.InstantOrZero(in.Until),
		HeldUntil: min(p.settings.Clock.InstantOrZero(in.HeldUntil), furthest),
	}
	known := p.pacer.Usage(now)
	for i := range known.Limits {
		l := &known.Limits[i]
		part := in.Limit(limitID(names, l))
		if part == nil {
			continue
		}
		parts.Limits = append(parts.Limits, pacer.Part{
			At: l.At, Allotted: part.Allotted, End: p.settings.Clock.InstantOrZero(part.Ends),
			ReportedAt: p.settings.Clock.InstantOrZero(part.ReportedAt), HeldUntil: min(p.settings.Clock.InstantOrZero(part.HeldUntil), furthest),
		})
	}
	return parts
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
