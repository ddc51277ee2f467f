package pacer

import (
	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/pacer/internal/limit"
	"github.com/headway-go/headway/pacer/internal/refusal"
)

// A Usage is what a client of a fleet reports to the others about one partition.
type Usage struct {
	HeldUntil Instant      // end of the hold on everything; not after now: none
	Limits    []LimitUsage // limits with a known quota and window
}

// A LimitUsage is a client's use of one limit.
type LimitUsage struct {
	At                   LimitSet // the set of this limit alone
	Policy, PartitionKey string
	Unit                 limits.Unit
	Nameless             int64 // the reported quota of a policy without a name, which identifies it; else 0

	limits.Spent

	End        Instant // middle of the interval in which the current window ends; 0 if unknown
	ReportedAt Instant // when the server reported what remains
	HeldUntil  Instant // end of the hold on the limit; not after now: none
}

// Usage returns what the other clients of the same quotas need to know. If this client will take a second look during a
// hold, it reports a hold until a minute after that look.
func (p *Partition) Usage(now Instant) Usage {
	at := p.at(now)
	all := Usage{HeldUntil: p.instant(forOthers(&p.hold.Hold))}
	for i, l := range p.each(p.live) {
		until := forOthers(&l.Hold)
		if !l.IsShareable() {
			all.HeldUntil = max(all.HeldUntil, p.instant(until))
			continue
		}
		spent, end := l.Spent(at)
		spent.Window = nanoseconds(l.Window)
		u := LimitUsage{
			At: placeOf(i), Policy: l.Name.Policy, PartitionKey: l.Name.Key, Unit: p.unitName(l.Unit), Spent: spent,
			End: p.end(end), ReportedAt: p.instant(l.Seen), HeldUntil: p.instant(until),
		}
		if u.Policy == "" {
			u.Nameless = u.Quota
		}
		all.Limits = append(all.Limits, u)
	}
	return all
}

// forOthers returns the end of a hold that other clients get.
func forOthers(h *refusal.Hold) float64 { return min(h.Until, h.Early(h.Until)+60) }

// Parts is what a fleet allots to this client in one partition: a Part for each limit, and the holds that other clients
// met.
type Parts struct {
	Until     Instant // when Limits expire; holds are taken over in any case
	HeldUntil Instant // end of another client's hold on everything; not after now: none
	Limits    []Part
}

// A Part is what the fleet allots to this client of one limit, as the caller passes it.
type Part struct {
	At LimitSet // the limit, as in the LimitUsage since the last response

	limits.Allotted

	End        Instant // about when the window of Units ends
	ReportedAt Instant // when Remaining was reported
	HeldUntil  Instant // end of a hold on this limit; not after now: none
}

// partWait is for how many seconds a client waits for its first part, or for a larger one. Longer: waits in vain. Shorter:
// more refusals.
const partWait = 1.0

// PartMayGrow reports whether this client has no part of some limit yet, or may be allotted a larger one.
func (p *Partition) PartMayGrow() bool {
	return p.limitsWhere(func(l *known) bool { return l.IsShareable() && (l.Part == nil || !l.Part.Full) }) != 0
}

// Apportion takes over what the clients of the same quotas have agreed on. A part replaces the estimated share of a
// limit. Limits that parts does not contain do not change. parts is not modified or retained.
func (p *Partition) Apportion(now Instant, parts *Parts) {
	at := p.time(now)
	for _, in := range parts.Limits {
		for _, l := range p.each(in.At & p.live) {
			if parts.Until > now {
				isNews := l.Allot(at, limit.Part{
					Allotted: in.Allotted, End: p.at(in.End), Until: p.at(parts.Until), ReportedAt: p.at(in.ReportedAt),
				})
				if isNews {
					l.Hold.At = p.at(in.ReportedAt)
				}
			}
			if until := p.at(in.HeldUntil); isLater(at, until, l.Hold.Until) {
				l.Hold.Extend(until, until) // the client that reported the hold does the second looks, see Usage
				l.ComeBack(until+p.cfg.chance(), false)
			}
		}
	}
	if until := p.at(parts.HeldUntil); isLater(at, until, p.hold.Until) {
		p.hold.Extend(until, until)
		p.hold.since, p.hold.about = p.seq, 0
		p.comeBack(until+p.cfg.chance(), false)
	}
}

// isLater reports whether another client's hold ends later than the own one. Clocks differ, so a small difference does
// not count.
func isLater(now, reported, own float64) bool {
	return reported > now && (own <= now || reported-own > limit.ClockError)
}
