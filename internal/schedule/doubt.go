package schedule

import "github.com/headway-go/headway/pacer"

const (
	doubtRounds = 5    // in a row without a success are an outage: more wait longer in one, fewer take a slow limit for one
	doubtLeast  = 4    // 503s in a row, or since they are heeded, before anything is judged: fewer are chance, more slow down in vain for longer
	doubtMost   = 16   // 503s that a tally holds before it is halved: more are late to see a change, fewer are chance
	doubtShare  = 0.25 // of all answers are a flood: less takes a flaky gateway for one, more leaves those who are a little too fast alone
	doubtPrior  = 8    // successes that are taken for granted: fewer take the first 503 of a flaky gateway for a flood
	doubtGain   = 0.3  // of the share before is what heeding has to bring it to: more takes chance for help, less takes a limit for an outage
	doubtMore   = 0.75 // of the share now has to be at least what heeding brought, or it is not tried again: more tries in vain, less heeds a limit late
	doubtBad    = 2    // judgements in a row that heeding did not help, to give up: more slow down in vain for longer, fewer find no pace
	mostVain    = 10   // failures that count: each makes heeding wait for four times as many 503s, so ten are as good as never
)

// A doubt is about plain 503s: without Retry-After, and nothing told of limits. They may refuse because of a limit, as
// nginx's do. They may as well come of an outage, or now and then of a gateway. Slowing down makes the first kind rarer, and
// no other. So plain 503s that come in numbers are heeded, as refusals that say nothing, as long as that makes them rarer.
// If it does not, what they have taught is taken back, and it takes ever more of them until they are heeded again.
//
// Say the third 503 comes after no more than the eight successes that are taken for granted: 3 of 11, 27 %, and 503s
// are heeded. If 4 of the next 100 answers are 503s, heeding helps: 4 % is less than 0.3 × 27 %. If 4 of the next 20 are,
// heeding goes on once more, until another 4 have come. Five rounds of 503s without a success between are an outage: the
// holds after the first four are of 0.25, 0.5, 1 and 2 s. Then nobody is slowed until a success comes. From then on all is
// as it was before the outage.
type doubt struct {
	heeds     bool
	hasHelped bool         // since they are heeded it was found once that it helps
	isOutage  bool         // they are not heeded, because nothing succeeds
	bad       uint8        // times in a row that heeding was found not to help
	vain      uint8        // times that they were heeded in vain
	rounds    int          // of heeded ones in a row without a success; while they are not heeded, 503s in a row
	round     uint64       // requests sent by the last refusal: theirs belong to the same round
	free      tally        // of answers while they were not heeded
	heeded    tally        // of answers while they were heeded the last time; zero: never, or long ago
	ignored   int          // 503s since they were heeded in vain
	first     pacer.Taught // what was known before they were heeded
	last      pacer.Taught // before the first of those in a row
}

// A tally is how many answers were plain 503s.
type tally struct{ served, refused float32 }

func (t *tally) add(refused bool) {
	if !refused {
		t.served++
		return
	}
	if t.refused++; t.refused > doubtMost {
		t.served, t.refused = t.served/2, t.refused/2
	}
}

// share is the part that was refused; 0 of nothing.
func (t *tally) share() float32 {
	if t.refused == 0 {
		return 0
	}
	return t.refused / (t.refused + t.served)
}

// unavailable takes in a plain 503 to a request that was sent after what is known now was learned, or before that, and
// reports whether it is heeded.
func (d *doubt) unavailable(p *pacer.Partition, now pacer.Instant, known *pacer.Taught) bool {
	switch {
	case d.isOutage && d.last.Served > 0: // time stands still
		p.Unlearn(now, &d.last)
		return false
	case d.isOutage:
		return false
	case !d.heeds:
		return d.begin(known)
	case known.Nth <= d.first.Sent:
		d.round = known.Sent
		d.free.add(true)
		return true
	case d.rounds == 0:
		d.last = *known
	}
	if known.Nth > d.round {
		d.rounds++
	}
	d.round = known.Sent
	d.heeded.add(true)
	if d.rounds < doubtRounds {
		return true
	}
	d.isOutage, d.heeded = true, tally{refused: doubtRounds}
	if d.hasHelped { // and is going to again, when it is over
		p.Unlearn(now, &d.last)
		d.heeded = tally{}
	} else {
		d.giveUp(p, now)
	}
	return false
}

// giveUp has 503s heeded no longer, and takes back what they have taught.
func (d *doubt) giveUp(p *pacer.Partition, now pacer.Instant) {
	p.Unlearn(now, &d.first)
	d.last = d.first
	d.heeds, d.free, d.ignored, d.vain = false, tally{}, 0, min(d.vain+1, mostVain)
}

// helps reports whether heeding has made 503s rarer, which is judged by some of them at a time. A little rarer will do once:
// it may take some time to find the pace. None at all will not, once it was in vain before: what it is compared with is no longer
// that of quieter times.
func (d *doubt) helps() bool {
	if d.heeded.share() <= doubtGain*d.free.share() {
		d.bad, d.hasHelped = 0, true
	} else if d.bad++; d.bad == doubtBad || d.vain > 0 && d.heeded.share() >= d.free.share() {
		return false
	}
	d.heeded = tally{}
	return true
}

// begin takes in one while they are not heeded, and reports whether they are from now on: where some come in a row, or
// they are a good part of all. Where they were heeded in vain it takes a greater part than then, and four times as many from
// one time to the next.
func (d *doubt) begin(known *pacer.Taught) bool {
	if d.free == (tally{}) && d.vain == 0 {
		d.free.served = float32(known.Served) + doubtPrior
	}
	d.free.add(true)
	d.ignored++
	d.rounds++
	isMany := d.rounds >= doubtLeast || d.free.share() >= doubtShare
	isMore := d.vain == 0 || d.ignored >= doubtLeast<<(2*d.vain) && doubtMore*d.free.share() >= d.heeded.share()
	if !isMany || !isMore {
		return false
	}
	d.heeds, d.hasHelped, d.heeded, d.bad, d.rounds = true, false, tally{}, 0, 1
	d.round, d.first, d.last = known.Sent, *known, *known
	return true
}

// served takes in an answer of a server that is well, to a request that was sent since they are heeded or before, and
// reports whether there is still any doubt.
func (d *doubt) served(p *pacer.Partition, now pacer.Instant, t *pacer.Ticket) bool {
	d.rounds = 0
	if d.isOutage {
		d.isOutage = false
		p.Unlearn(now, &d.last)
	}
	if d.heeds && p.Taught(now, t).Nth > d.first.Sent {
		if d.heeded.add(false); d.heeded.refused >= doubtLeast && !d.helps() {
			d.giveUp(p, now)
		}
		return true
	}
	d.free.add(false)
	return d.heeds || !d.isPast()
}

// isPast reports whether there are far fewer than when they were heeded in vain, so that this says nothing any more.
func (d *doubt) isPast() bool {
	share := d.heeded.share()
	return share*d.free.served > doubtPrior && d.free.share() < share/4
}

// keep takes in a refusal because of a limit: what is known by then is kept.
func (d *doubt) keep(known *pacer.Taught) {
	d.first, d.last, d.rounds, d.isOutage = *known, *known, 0, false
}

// isHeeded reports whether a plain 503 is to be taken for a refusal.
func (d *desk) isHeeded(now pacer.Instant, v *Visit) bool {
	n := d.note()
	if n.doubt == nil {
		n.doubt = &doubt{}
	}
	known := d.pacer.Taught(now, &v.ticket)
	return n.doubt.unavailable(&d.pacer, now, &known)
}

// resolve takes in an answer that is no plain 503, where such have come of late.
func (d *desk) resolve(now pacer.Instant, v *Visit, refused bool) {
	if d.notes == nil || d.notes.doubt == nil {
		return
	}
	if refused {
		known := d.pacer.Taught(now, &v.ticket)
		d.notes.doubt.keep(&known)
	} else if !d.notes.doubt.served(&d.pacer, now, &v.ticket) {
		d.notes.doubt = nil
	}
}
