package pacer

import "time"

// A pace is what all limits together ask for.
type pace struct {
	gap    time.Duration // the longest interval that any limit asks for between usual requests; 0: none is known
	step   time.Duration // the longest that any asks for after what was sent last
	credit time.Duration // how far the pace line may lag behind now: what an idle client has saved up
	by     int           // the limit that asks for gap; −1: none does
}

func (p *Partition) pace(now Instant) pace {
	all := pace{by: -1}
	for i := range p.limits {
		l := &p.limits[i]
		n := p.tally(l.unit)
		gap := l.gap(now, p.base, n.sent)
		if gap == 0 || l.silent() {
			continue
		}
		credit := scale(gap, l.credit(p.cfg, n.sent))
		if all.gap == 0 || credit < all.credit {
			all.credit = credit
		}
		all.step = max(all.step, l.step(gap, n.owed))
		if gap = l.perRequest(gap); gap > all.gap {
			all.gap, all.by = gap, i
		}
	}
	if p.trial.rules(all.gap) {
		gap := p.trial.gap()
		return pace{gap: gap, step: scale(gap, float64(min(p.requests.owed, 1))), by: -1}
	}
	if least := p.cfg.leastGap(); least > all.gap {
		all.gap, all.step = least, max(all.step, scale(least, float64(p.requests.owed)))
	}
	return all
}

// policy is that of the limit that a pace is by.
func (p *Partition) policy(by int) string {
	if by < 0 {
		return ""
	}
	return p.limits[by].name
}

// interval is the gap at the nominal rates, whatever is left now.
func (p *Partition) interval() time.Duration {
	var gap time.Duration
	for i := range p.limits {
		if l := &p.limits[i]; !l.silent() {
			gap = max(gap, l.perRequest(l.interval()))
		}
	}
	if gap == 0 {
		gap = p.trial.gap()
	}
	return gap
}

// requestInterval is interval by the limits on requests alone. What those who wait
// cost in other units differs too much to say when a request's turn comes.
func (p *Partition) requestInterval() time.Duration {
	if p.others == nil {
		return p.interval()
	}
	var gap time.Duration
	for i := range p.limits {
		if l := &p.limits[i]; l.unit == 0 && !l.silent() {
			gap = max(gap, l.interval())
		}
	}
	return gap
}

// slot is where the next request's slot lies on the pace line.
func (p *Partition) slot(step time.Duration) Instant {
	return p.base.Add(scale(step, 1+p.cfg.jitter()*float64(p.swing)))
}
