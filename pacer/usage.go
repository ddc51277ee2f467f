package pacer

import (
	"time"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/pacer/internal/limit"
	"github.com/headway-go/headway/pacer/internal/refusal"
)

// partWait is for how many seconds a client waits for its first part, or for a larger one. Longer: waits in vain. Shorter:
// more refusals.
const partWait = 1.0

// AwaitParts is for a client that will be allotted parts of limits, see Apportion. For a second after the first report of a
// limit the client sends no more until it gets its part.
func (p *Partition) AwaitParts() { p.awaits = true }

// Usage returns what the other clients of the same quotas need to know, but for the name. waiting returns how many requests
// wait for a limit. If this client will take a second look during a hold, it reports a hold until a minute after that look.
func (p *Partition) Usage(now Instant, waiting func(LimitSet) int) (all limits.Usage) {
	at := p.at(now)
	until := forOthers(&p.hold.Hold)
	for i, l := range p.each(p.live) {
		if !l.IsShareable() {
			until = max(until, forOthers(&l.Hold))
			continue
		}
		u, end := l.Use(at)
		u.ID, u.Waiting, u.Window = p.id(l), waiting(placeOf(i)), nanoseconds(l.Window)
		u.Age, u.Held = rest(l.Seen, at), rest(at, forOthers(&l.Hold))
		if l.Length != nil {
			u.Reset = nanoseconds(l.Length.Reset)
		}
		if end > 0 {
			u.Ends = nanoseconds(end - at)
		}
		all.Limits = append(all.Limits, u)
	}
	all.Held = rest(at, until)
	return all
}

// forOthers returns the end of a hold that other clients get.
func forOthers(h *refusal.Hold) float64 { return min(h.Until, h.Early(h.Until)+60) }

func rest(from, to float64) time.Duration { return nanoseconds(max(to-from, 0)) }

func (p *Partition) id(l *known) limits.ID {
	id := limits.ID{Policy: l.Name.Policy, PartitionKey: l.Name.Key, Unit: p.unitName(l.Unit)}
	if id.Policy == "" {
		id.Quota = limit.Whole(l.Quota)
	}
	return id
}

// PartMayGrow reports whether this client has no part of some limit yet, or may be allotted a larger one.
func (p *Partition) PartMayGrow() bool {
	return p.limitsWhere(func(l *known) bool { return l.IsShareable() && (l.Part == nil || !l.Part.Full) }) != 0
}

// Apportion takes over what the clients of the same quotas have agreed on. A part replaces the estimated share of a
// limit. Limits that parts does not contain do not change. No hold is longer than longest. parts is not modified or retained.
func (p *Partition) Apportion(now Instant, parts *limits.Parts, longest time.Duration) {
	at := p.time(now)
	p.members = parts.Members
	for _, l := range p.each(p.live) {
		for i := range parts.Limits {
			if in := &parts.Limits[i]; in.ID == p.id(l) {
				p.allot(at, parts.Lasts, l, in, longest)
			}
		}
	}
	if until := at + min(parts.Held, longest).Seconds(); isLater(at, until, p.hold.Until) {
		p.hold.Extend(until, until)
		p.hold.since, p.hold.about = p.seq, 0
		p.comeBack(until+p.cfg.chance(), false)
	}
}

// allot takes over the part of the limit l.
func (p *Partition) allot(now float64, lasts time.Duration, l *known, in *limits.Part, longest time.Duration) {
	if lasts > 0 {
		l.Allot(now, lasts.Seconds(), in)
	}
	if until := now + min(in.Held, longest).Seconds(); isLater(now, until, l.Hold.Until) {
		l.Hold.Extend(until, until) // the client that reported the hold does the second looks, see Usage
		l.ComeBack(until+p.cfg.chance(), false)
	}
}

// isLater reports whether another client's hold ends later than the own one. Clocks differ, so a small difference does
// not count.
func isLater(now, reported, own float64) bool {
	return reported > now && (own <= now || reported-own > limit.ClockError)
}
