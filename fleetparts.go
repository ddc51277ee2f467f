package headway

import (
	"slices"
	"strconv"
	"time"

	"github.com/headway-go/headway/internal/identity"
	"github.com/headway-go/headway/pacer"
)

// A PartitionUsage is what one member of a fleet uses of one partition.
type PartitionUsage struct {
	Name      string        // a keyed hash, the same in all processes
	Waiting   int           // requests in the queue, whatever they wait for
	HeldUntil time.Time     // the end of the hold on everything; zero if there is none
	Late      time.Duration // by how much too early the server was found to tell times
	Limits    []LimitUsage  // those whose quota and window are known
}

// A LimitUsage is what one member of a fleet uses of one limit.
type LimitUsage struct {
	ID     string        // a keyed hash of policy, partition key and unit, and of the quota if the policy has no name
	Quota  int64         // more than 0
	Window time.Duration // more than 0
	Ends   time.Time     // when the open window ends, as well as that is known; zero if it is not

	Waiting int // requests in the queue that use it

	Sent int64 // units that were sent, all in all
	Used int64 // of these, in the open window

	// The part that the member goes by: units of the open window and of each one after it,
	// and its share of the quota. All zero if it goes by what it sees of others' use.
	Units, Next int64
	Share       float64

	Remaining int64     // as the server told last; −1 if it never did
	Told      time.Time // when
	HeldUntil time.Time // the end of the hold on it alone; zero if there is none
	Refills   bool      // its units come back bit by bit, as it has found itself
}

// A PartitionPart is what is one member's own of a partition's limits. Values that make
// no sense are taken for the nearest that do.
type PartitionPart struct {
	Name      string        // as in PartitionUsage
	Until     time.Time     // when it is no longer to be believed; what is told of holds and Late stays
	Members   int           // that share the partition, this one included
	HeldUntil time.Time     // the end of a hold on everything that any member met; zero if there is none
	Late      time.Duration // by how much too early the server was found to tell times, by any member
	Limits    []LimitPart
}

// A LimitPart is what is one member's own of one limit.
type LimitPart struct {
	ID        string    // as in LimitUsage
	Share     float64   // of the quota, which is the pace of a limit that refills
	Units     int64     // of the window that ends at Ends, those already sent included
	Next      int64     // of each window after that
	Ends      time.Time // of the window that was open when this was agreed on
	Full      bool      // as much as any member gets; false: more is to be had as soon as requests wait
	Refills   bool      // its units come back bit by bit, as any member has found: Share alone counts
	Remaining int64     // as any member was told last; −1 if none was
	Told      time.Time // when
	HeldUntil time.Time // the end of a hold on it that any member met; zero if there is none
}

// activeFor is how long after its last request a partition is told of.
const activeFor = 30 * time.Second

// usage is that of an active partition. It locks p.mu.
func (p *partition) usage(names identity.NameKey) (u PartitionUsage, active bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.clock.Now()
	if p.notes == nil || p.notes.shared == "" || !p.protected(now) && now.Sub(p.used) > activeFor {
		return u, false
	}
	known := p.pacer.Usage(now)
	u = PartitionUsage{
		Name: string(p.notes.shared), Waiting: p.queue.len(),
		HeldUntil: p.clock.TimeOrZero(known.HeldUntil), Late: known.Late,
	}
	for i := range known.Limits {
		l := &known.Limits[i]
		u.Limits = append(u.Limits, LimitUsage{
			ID: limitName(names, l), Quota: l.Quota, Window: l.Window, Ends: p.clock.TimeOrZero(l.End),
			Waiting: p.waitingFor(l.At), Sent: l.Sent, Used: l.Used, Units: l.Units, Next: l.Next, Share: l.Share,
			Remaining: l.Remaining, Told: p.clock.TimeOrZero(l.ToldAt), HeldUntil: p.clock.TimeOrZero(l.HeldUntil),
			Refills: l.Refills,
		})
	}
	return u, true
}

// waitingFor is how many requests are in the queue that use one of these limits.
func (p *partition) waitingFor(limits pacer.LimitSet) (n int) {
	if p.queue == nil {
		return 0
	}
	for _, l := range p.queue.lines {
		if p.limits(&l.first().cost).Meets(limits) {
			for list := range l.lists() {
				n += list.n
			}
		}
	}
	return n
}

// limitName is what a limit is called in the fleet: servers may put names of users in theirs.
func limitName(names identity.NameKey, l *pacer.LimitUsage) string {
	return string(names.Of("limit", l.Policy, l.PartitionKey, l.Unit, strconv.FormatInt(l.Nameless, 10)))
}

// apportion takes over what is told to this partition, if anything. It locks p.mu.
func (p *partition) apportion(m *FleetMember, all map[identity.Name]*PartitionPart) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.notes == nil || all[p.notes.shared] == nil {
		return
	}
	in, now := all[p.notes.shared], p.clock.Now()
	furthest := now.Add(m.maxReset)
	parts := pacer.Parts{
		Until: p.clock.Told(in.Until), Members: in.Members,
		HeldUntil: min(p.clock.Told(in.HeldUntil), furthest), Late: in.Late,
	}
	known := p.pacer.Usage(now)
	for i := range known.Limits {
		l := &known.Limits[i]
		part := in.limit(limitName(m.names, l))
		if part == nil {
			continue
		}
		parts.Limits = append(parts.Limits, pacer.Part{
			At: l.At, Share: part.Share, Units: part.Units, Next: part.Next, End: p.clock.Told(part.Ends),
			Full: part.Full, Refills: part.Refills, Remaining: part.Remaining, ToldAt: p.clock.Told(part.Told),
			HeldUntil: min(p.clock.Told(part.HeldUntil), furthest),
		})
	}
	p.notes.members = in.Members
	before := p.pacer.Held(now)
	p.pacer.Apportion(now, &parts, p.chance())
	if !before && p.pacer.Held(now) {
		p.replan(now)
	}
	p.settle(now)
}

func (p *PartitionPart) limit(id string) *LimitPart {
	for i := range p.Limits {
		if p.Limits[i].ID == id {
			return &p.Limits[i]
		}
	}
	return nil
}

// sharing is how many members share a partition of which that is known.
func (p *partition) sharing(known *pacer.State) int {
	if p.notes == nil || !slices.ContainsFunc(known.Limits, func(l pacer.LimitState) bool { return l.Agreed }) {
		return 0
	}
	return p.notes.members
}
