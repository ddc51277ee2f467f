package pacer

// A Forecast says when a series of equal requests could go.
type Forecast struct {
	First, Last Plan
	Share       float64 // this client's part of what decides about the last one; 0: no limit does
	IsReported  bool    // that limit and what it uses are reported, and all or an agreed part is this client's
}

// Forecast returns when the first and the last of n requests of that cost could go behind the requests ahead, if all were
// there now. It changes nothing. n must be above 0.
func (p *Partition) Forecast(now Instant, ahead, n int64, cost *Cost) (f Forecast) {
	at := p.at(now)
	d := demand{Plan: &f.First}
	p.plan(at, cost, &d)
	if f.Last = f.First; f.First.At == Never {
		return f
	}
	first, _ := p.after(at, float64(ahead), cost, &d)
	last, i := p.after(at, float64(ahead+n-1), cost, &d)
	f.First.At, f.Last.At = max(now, p.instant(first)), max(now, p.instant(last))
	if i >= 0 {
		l := &p.limits[i]
		part := l.Allotted(at)
		isOwn := l.Portion(at) == 1
		if f.Share, f.Last.Policy = l.Portion(at), l.Name.Policy; part != nil {
			f.Share, isOwn = l.PartShare(at), part.Share > 0
		}
		f.IsReported = isOwn && l.HasQuota && l.Length == nil && cost.of(l.Unit) >= 0
	}
	return f
}

// after returns when a request with the demand d may go after others of that cost, and the limit that decides; −1: none
// does. Unlike behind it is as likely too early as too late.
func (p *Partition) after(now, others float64, cost *Cost, d *demand) (at float64, binding int) {
	first := max(d.at, now)
	at, binding = first, d.binding
	if d.tried || d.uses == 0 {
		at += p.trial.Gap(now) * others
	}
	for i, l := range p.each(d.uses) {
		next, units := d.slots[i], l.usualCost()
		if cost.of(l.Unit) >= 0 {
			units = l.charge(cost)
		}
		idle := max(d.opens, l.Idle(now, p.cfg.burst(l.Quota), &next))
		if then := l.After(now, min(first, idle), others*units, &next); then > at || binding < 0 && at <= now {
			at, binding = max(at, then), i
		}
	}
	return at, binding
}
