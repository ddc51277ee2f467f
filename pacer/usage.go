package pacer

import (
	"time"

	"github.com/headway-go/headway/limits"
)

// A Usage is what clients that share quotas tell each other of one partition.
type Usage struct {
	HeldUntil Instant       // the end of the hold on everything; not after now: none
	Late      time.Duration // by how much too early the server tells times
	Limits    []LimitUsage  // those whose quota and window are known
}

// A LimitUsage is what a client uses of one limit.
type LimitUsage struct {
	At                   LimitSet // the set of it alone
	Policy, PartitionKey string
	Unit                 limits.Unit
	Nameless             int64 // the quota of a policy without a name, if the server tells it, as that is how it is known; else 0

	limits.Spent

	End       Instant // the middle of the time in which the open window ends; 0 if not known
	ToldAt    Instant // when the server told what remains
	HeldUntil Instant // the end of the hold on it; not after now: none
}

// Usage returns what those who share the quotas need to know, by their ShortNames. Of a hold at which this client
// looks early, see Config.Patience, it tells the others the time of that look and a minute more.
func (p *Partition) Usage(now Instant) Usage {
	g := as(p.gate)
	all := Usage{Late: g.slack}
	held := p.forOthers(g.told, g.firm, g.last, g.looks)
	untold := g.only // of the limits that the hold is about
	for i, l := range p.each(p.live) {
		if !l.isShareable() {
			continue
		}
		usage := l.usage(now)
		usage.At, usage.Unit = placeOf(i), p.unitName(l.unit)
		usage.HeldUntil = p.forOthers(l.past().held, l.past().firm, max(l.at, l.past().last), l.looks)
		if g.only.Meets(usage.At) {
			usage.HeldUntil = max(usage.HeldUntil, held) // the rest is at its own pace
		}
		untold &^= usage.At
		all.Limits = append(all.Limits, usage)
	}
	if g.only == 0 || untold != 0 {
		all.HeldUntil = held
	}
	return all
}

// forOthers is the end of a hold as others are told it.
func (p *Partition) forOthers(end, firm, last Instant, n looks) Instant {
	return min(end, p.early(end, firm, last, n).Add(mostPause))
}

func (l *limit) usage(now Instant) LimitUsage {
	id := l.id.Value()
	m := l.moment(now)
	end := l.end(m)
	u := LimitUsage{
		Policy: id.policy, PartitionKey: id.key, ToldAt: l.at,
		Spent: limits.Spent{
			Quota: l.quota, Window: l.window, Sent: l.units, Remaining: Unknown,
			Refills: l.past().against[asWindow] > beliefLead,
		},
	}
	if id.policy == "" && l.quotaTold {
		u.Nameless = l.quota
	}
	if m.index <= int64(l.ends.index) {
		u.Used = max(l.units-l.ends.began, 0)
	}
	if end.known() {
		u.End = end.mid()
	}
	if m.index == 0 {
		u.Remaining = l.remaining
	}
	if p := l.allotted(now); p != nil && !p.awaited {
		u.Units, u.Next, u.Share = l.partUnits(end), p.Next, p.Share
	}
	return u
}

// isShareable reports whether other clients can be told of the limit: they need to know how long its window is.
func (l *limit) isShareable() bool { return l.refill() > 0 && l.source != fromCounts }
