package pacer

import "time"

// Taught stores what refusals have taught a Partition up to some time: places, the margin of times, and the
// rate of the trial. Take one before responses that may turn out to be no refusals, such as the plain 503s of an
// outage. [Partition.Unlearn] then restores it. The zero value is that of a new Partition.
type Taught struct {
	Served uint64 // successes of the current trial
	Sent   uint64 // requests sent until then
	Nth    uint64 // the number of the Ticket's request among the Sent

	at     Instant
	places places
	trial  trial
	slack  time.Duration
}

// Taught returns what refusals have taught until now. t is the request whose response has just come.
func (p *Partition) Taught(now Instant, t *Ticket) Taught {
	return Taught{
		Served: uint64(valueOf(p.trial).n), Sent: p.seq, Nth: t.seq,
		at: now, places: p.places, trial: valueOf(p.trial), slack: valueOf(p.gate).slack,
	}
}

// Unlearn restores what refusals had taught at an earlier time. A hold goes on. The time since then does not
// count for the trial.
func (p *Partition) Unlearn(now Instant, to *Taught) {
	c, g := &to.places, ensure(&p.gate)
	p.places.most, p.places.least, p.places.cut, p.places.guess = c.most, c.least, c.cut, c.guess
	g.rounds, g.alone, g.looks, g.slack = 0, false, 0, to.slack
	if p.trial = nil; to.trial.begun != 0 {
		t := to.trial
		t.begun, t.last, p.trial = t.begun.Add(now.Sub(to.at)), now, &t
	}
}
