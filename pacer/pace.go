package pacer

import "time"

// A pace is what all limits together ask for.
type pace struct {
	gap    time.Duration // the longest interval that any limit asks for between usual requests; 0: none is known
	step   time.Duration // the longest that any asks for after what was sent last
	policy string        // of that limit
	credit time.Duration // how far the pace line may lag behind now: what an idle client has saved up
}

func (p *Partition) pace(now Instant) pace {
	var all pace
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
		if gap = scale(gap, l.each()); gap > all.gap {
			all.gap, all.policy = gap, l.name
		}
	}
	if p.trial.rules(all.gap) {
		gap := p.trial.gap()
		return pace{gap: gap, step: scale(gap, float64(min(p.requests.owed, 1)))}
	}
	if least := p.cfg.leastGap(); least > all.gap {
		all.gap, all.step = least, max(all.step, scale(least, float64(p.requests.owed)))
	}
	return all
}

// interval is the gap at the nominal rates, whatever is left now.
func (p *Partition) interval() time.Duration {
	var gap time.Duration
	for i := range p.limits {
		if l := &p.limits[i]; !l.silent() {
			gap = max(gap, scale(l.interval(), l.each()))
		}
	}
	if gap == 0 {
		gap = p.trial.gap()
	}
	return gap
}

// requestInterval is the gap at the nominal rates of requests alone. What those who
// wait cost in other units differs too much to say when a request's turn comes.
func (p *Partition) requestInterval() time.Duration {
	var gap time.Duration
	counted := false
	for i := range p.limits {
		if l := &p.limits[i]; !l.silent() {
			counted = true
			if l.unit == 0 {
				gap = max(gap, l.interval())
			}
		}
	}
	if !counted {
		gap = p.trial.gap()
	}
	return gap
}

// slot is where the next request's slot lies on the pace line.
func (p *Partition) slot(all *pace) Instant {
	return p.base.Add(scale(all.step, 1+p.cfg.jitter()*float64(p.swing)))
}
