package pacer

import (
	"time"

	"github.com/headway-go/headway/limits"
)

// A Usage is what a client of a fleet reports to the others about one partition.
type Usage struct {
	HeldUntil Instant       // end of the hold on everything; not after now: none
	Late      time.Duration // how much too early the server's times are
	Limits    []LimitUsage  // limits with a known quota and window
}

// A LimitUsage is a client's use of one limit.
type LimitUsage struct {
	At                   LimitSet // the set of this limit alone
	Policy, PartitionKey string
	Unit                 limits.Unit
	Nameless             int64 // the reported quota of a policy without a name, which identifies it; else 0

	limits.Spent

	End       Instant // middle of the interval in which the current window ends; 0 if unknown
	ToldAt    Instant // when the server reported what remains
	HeldUntil Instant // end of the hold on the limit; not after now: none
}

// Usage returns what the other clients of the same quotas need to know. Names are ShortNames. If this client
// will take a second look during a hold, see Config.Patience, it reports a hold until a minute after that
// look.
func (p *Partition) Usage(now Instant) Usage {
	g := valueOf(p.gate)
	all := Usage{Late: g.slack}
	held := p.forOthers(g.told, g.firm, g.last, g.looks)
	untold := g.only // limits that the hold is about and that are not in Limits
	for i, l := range p.each(p.live) {
		if !l.isShareable() {
			continue
		}
		usage := l.usage(now)
		usage.At, usage.Unit = placeOf(i), p.unitName(l.unit)
		usage.HeldUntil = p.forOthers(l.held(), l.past().firm, max(l.at, l.past().last), l.looks)
		if g.only.Meets(usage.At) {
			usage.HeldUntil = max(usage.HeldUntil, held) // the rest of the hold has another end
		}
		untold &^= usage.At
		all.Limits = append(all.Limits, usage)
	}
	if g.only == 0 || untold != 0 {
		all.HeldUntil = held
	}
	return all
}

// forOthers returns the end of a hold that other clients get.
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

// isShareable reports whether a fleet can divide the limit: the length of its window must be known.
func (l *limit) isShareable() bool { return l.refill() > 0 && l.source != fromCounts }
