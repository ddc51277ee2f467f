package schedule

import (
	"strconv"
	"time"

	"github.com/headway-go/headway/internal/identity"
	"github.com/headway-go/headway/internal/queue"
	"github.com/headway-go/headway/internal/share"
	"github.com/headway-go/headway/pacer"
)

// activeFor is how long after its last request a fleet is told of a partition: shorter forgets clients that pause,
// longer keeps quota for clients that are done.
const activeFor = 30 * time.Second

// Share gives the partition its name in a fleet, and where it tells that a request waits that may not need to. It is
// called before any other goroutine has the partition.
func (p *Partition) Share(name identity.Name, wants chan<- struct{}) {
	n := p.dispatcher.note()
	n.shared, n.wants = name, wants
}

// Usage returns what is used of the partition, for the fleet to know. active is false if nobody needs to know.
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
			Told: d.Clock.TimeOrZero(l.ToldAt), HeldUntil: d.Clock.TimeOrZero(l.HeldUntil),
		})
	}
	return u, true
}

// limitID is what a limit is called in the fleet: servers may put names of users in theirs.
func limitID(names identity.NameKey, l *pacer.LimitUsage) string {
	return string(names.Of("limit", l.Policy, l.PartitionKey, string(l.Unit), strconv.FormatInt(l.Nameless, 10)))
}

// SharedName is what the fleet calls the partition; "" if there is none.
func (p *Partition) SharedName() identity.Name {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.dispatcher.notes == nil {
		return ""
	}
	return p.dispatcher.notes.shared
}

// Apportion takes over the part that the fleet tells. No hold is believed that ends later than maxReset from now.
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

// parts are those that a fleet tells, in the pacer's terms.
func (d *dispatcher) parts(now pacer.Instant, names identity.NameKey, in *share.PartitionPart, furthest pacer.Instant) pacer.Parts {
	parts := pacer.Parts{
		Until: d.Clock.Told(in.Until), Members: in.Members,
		HeldUntil: min(d.Clock.Told(in.HeldUntil), furthest), Late: in.Late,
	}
	known := d.pacer.Usage(now)
	for i := range known.Limits {
		l := &known.Limits[i]
		part := in.Limit(limitID(names, l))
		if part == nil {
			continue
		}
		parts.Limits = append(parts.Limits, pacer.Part{
			At: l.At, Allotted: part.Allotted, End: d.Clock.Told(part.Ends),
			ToldAt: d.Clock.Told(part.Told), HeldUntil: min(d.Clock.Told(part.HeldUntil), furthest),
		})
	}
	return parts
}
