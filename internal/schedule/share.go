package schedule

import (
	"strconv"
	"time"

	"github.com/headway-go/headway/internal/identity"
	"github.com/headway-go/headway/internal/queue"
	"github.com/headway-go/headway/internal/share"
	"github.com/headway-go/headway/pacer"
)

// activeFor is how long a partition is reported to the fleet after its last request. Shorter takes quota from clients that
// pause, longer reserves quota for clients that have finished.
const activeFor = 30 * time.Second

// Share sets the partition's name in the fleet. The partition sends to wants when a request waits that a larger part of
// the quota might let go. Share is called before any other goroutine has the partition.
func (p *Partition) Share(name identity.Name, wants chan<- struct{}) {
	n := p.dispatcher.note()
	n.shared, n.wants = name, wants
}

// Usage returns how much of each quota the partition uses, for the fleet. active is false if the fleet need not know.
func (p *Partition) Usage(names identity.NameKey) (u share.PartitionUsage, active bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	d := &p.dispatcher
	now := d.Clock.Now()
	isActive := d.isNeeded() || d.pacer.Held(now) || now.Sub(d.used) <= activeFor
	if d.notes == nil || d.notes.shared == "" || !isActive {
		return u, false
	}
	known := d.pacer.Usage(now)
	u = share.PartitionUsage{
		Name: string(d.notes.shared), Waiting: d.queue().Len(),
		HeldUntil: d.Clock.TimeOrZero(known.HeldUntil), Late: known.Late,
	}
	for i := range known.Limits {
		l := &known.Limits[i]
		u.Limits = append(u.Limits, share.LimitUsage{
			ID: limitID(names, l), Spent: l.Spent, Waiting: d.queue().Using(queue.Set(l.At)), Ends: d.Clock.TimeOrZero(l.End),
			ReportedAt: d.Clock.TimeOrZero(l.ReportedAt), HeldUntil: d.Clock.TimeOrZero(l.HeldUntil),
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
	if p.dispatcher.notes == nil {
		return ""
	}
	return p.dispatcher.notes.shared
}

// Apportion applies the part of each quota that the fleet allots to this process. Holds are cut to maxReset from now.
func (p *Partition) Apportion(names identity.NameKey, in *share.PartitionPart, maxReset time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	d := &p.dispatcher
	now := d.Clock.Now()
	parts := d.parts(now, names, in, now.Add(maxReset))
	d.note().members = in.Members
	before := d.pacer.Held(now)
	d.pacer.Apportion(now, &parts)
	d.resize()
	if !before && d.pacer.Held(now) {
		d.replan(now)
	}
	d.settle(now, p)
}

// parts translates what the fleet allots for the pacer. No hold ends after furthest.
func (d *dispatcher) parts(now pacer.Instant, names identity.NameKey, in *share.PartitionPart, furthest pacer.Instant) pacer.Parts {
	parts := pacer.Parts{
		Until: d.Clock.InstantOrZero(in.Until), Members: in.Members,
		HeldUntil: min(d.Clock.InstantOrZero(in.HeldUntil), furthest), Late: in.Late,
	}
	known := d.pacer.Usage(now)
	for i := range known.Limits {
		l := &known.Limits[i]
		part := in.Limit(limitID(names, l))
		if part == nil {
			continue
		}
		parts.Limits = append(parts.Limits, pacer.Part{
			At: l.At, Allotted: part.Allotted, End: d.Clock.InstantOrZero(part.Ends),
			ReportedAt: d.Clock.InstantOrZero(part.ReportedAt), HeldUntil: min(d.Clock.InstantOrZero(part.HeldUntil), furthest),
		})
	}
	return parts
}
