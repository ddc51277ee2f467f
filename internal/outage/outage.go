package schedule

import "github.com/headway-go/headway/pacer"

// Each constant says what a higher and a lower value would cost.
const (
	outageRounds    = 5    // rounds of 503s without a success are an outage. More: longer holds in an outage. Fewer: a slow limit counts as one
	judgedLeast     = 4    // 503s before a judgement. More: slows down in vain for longer. Fewer: judges by chance
	tallyMost       = 16   // 503s in a tally before it is halved. More: notices a change late. Fewer: judges by chance
	floodShare      = 0.25 // of all responses, above which 503s slow the client down. More: ignores mild overload. Less: reacts to a flaky gateway
	assumedServed   = 8    // successes assumed before the first 503. More: reacts late. Fewer: the first 503 of a flaky gateway counts as a flood
	helpfulShare    = 0.3  // of the earlier share of 503s, below which slowing down has helped. More: chance counts as help. Less: a limit counts as an outage
	retryShare      = 0.75 // of the share that slowing down left, above which slowing down is tried again. More: finds a limit late. Less: tries in vain
	uselessMost     = 2    // judgements in a row that slowing down was useless, before it stops. More: slows down in vain. Fewer: stops before the pace is found
	abandonmentMost = 10   // abandonments that count. Each quadruples the 503s until the next try, so ten mean never
)

// plain503s decides whether plain 503s slow the client down. A plain 503 has no Retry-After and reports no limit. It may
// be a refusal because of a limit, as nginx's limit_req sends it. Or it may come from an outage or a flaky gateway.
// Slowing down makes 503s rarer only in the first case. So plain 503s slow the client down, as bare 429s do, while that
// makes them rarer. If it does not, the client forgets what they taught, and it takes more 503s until the next try.
//
// Example: the first three responses are 503s. Together with the eight successes assumed before, 3 of 11 responses are
// 503s. That is 27 %, more than a quarter, so the client slows down. If 4 of the next 100 responses are 503s, slowing
// down helps: 4 % is less than 0.3 × 27 %. If 4 of the next 20 are 503s, the client tries for another four 503s before
// it stops.
//
// Five rounds of 503s without a success are an outage. The holds after the first four rounds last 0.25, 0.5, 1 and 2 s.
// Then nothing slows the client down until a success comes, and the state from before the outage applies again.
type plain503s struct {
	slowing     bool         // plain 503s slow the client down
	hasHelped   bool         // slowing down has helped since it began
	isOutage    bool         // plain 503s slow nobody down, because no request succeeds
	useless     uint8        // judgements in a row that slowing down was useless
	abandoned   uint8        // how often slowing down was abandoned
	rounds      int          // while slowing: rounds of 503s since the last success; else: 503s since the last success
	roundEnd    uint64       // requests up to this number belong to the current round
	before      tally        // responses while 503s did not slow the client down
	during      tally        // responses since they slow it down, or when that was last abandoned
	ignored     int          // 503s since slowing down was abandoned
	atStart     pacer.Taught // what refusals had taught before slowing down began
	beforeRound pacer.Taught // what refusals had taught before the first round since the last success
}

// A tally counts responses, and how many of them were plain 503s.
type tally struct{ served, refused float32 }

func (t *tally) add(refused bool) {
	if !refused {
		t.served++
		return
	}
	if t.refused++; t.refused > tallyMost {
		t.served, t.refused = t.served/2, t.refused/2
	}
}

// share is the part that was refused; 0 of an empty tally.
func (t *tally) share() float32 {
	if t.refused == 0 {
		return 0
	}
	return t.refused / (t.refused + t.served)
}

// received records a plain 503 and reports whether it counts as a refusal. known is what refusals have taught so far.
func (s *plain503s) received(p *pacer.Partition, now pacer.Instant, known *pacer.Taught) (isRefusal bool) {
	switch {
	case s.isOutage && s.beforeRound.Served > 0: // the time of an outage does not count for the trial
		p.Unlearn(now, &s.beforeRound)
		return false
	case s.isOutage:
		return false
	case !s.slowing:
		return s.start(known)
	case known.Nth <= s.atStart.Sent: // sent before the client slowed down
		s.roundEnd = known.Sent
		s.before.add(true)
		return true
	case s.rounds == 0:
		s.beforeRound = *known
	}
	if known.Nth > s.roundEnd {
		s.rounds++
	}
	s.roundEnd = known.Sent
	s.during.add(true)
	if s.rounds < outageRounds {
		return true
	}
	s.isOutage, s.during = true, tally{refused: outageRounds}
	if s.hasHelped { // it will help again when the outage is over
		p.Unlearn(now, &s.beforeRound)
		s.during = tally{}
	} else {
		s.abandon(p, now)
	}
	return false
}

// abandon stops slowing down and forgets what the 503s have taught.
func (s *plain503s) abandon(p *pacer.Partition, now pacer.Instant) {
	p.Unlearn(now, &s.atStart)
	s.beforeRound = s.atStart
	s.slowing, s.before, s.ignored, s.abandoned = false, tally{}, 0, min(s.abandoned+1, abandonmentMost)
}

// helps judges whether slowing down has made 503s rarer, and begins the next judgement. One useless judgement is
// accepted, as finding the pace takes some time. After an abandonment it is accepted only if 503s got a little rarer:
// the tally before is then that of a busy time.
func (s *plain503s) helps() bool {
	if s.during.share() <= helpfulShare*s.before.share() {
		s.useless, s.hasHelped = 0, true
	} else if s.useless++; s.useless == uselessMost || s.abandoned > 0 && s.during.share() >= s.before.share() {
		return false
	}
	s.during = tally{}
	return true
}

// start records a 503 while the client does not slow down, and reports whether it slows down from now on. It does after
// four 503s in a row, or when 503s are a quarter of all responses. After each abandonment that takes four times as many
// 503s, and a greater share of all responses than slowing down had left.
func (s *plain503s) start(known *pacer.Taught) bool {
	if s.before == (tally{}) && s.abandoned == 0 {
		s.before.served = float32(known.Served) + assumedServed
	}
	s.before.add(true)
	s.ignored++
	s.rounds++
	isFlood := s.rounds >= judgedLeast || s.before.share() >= floodShare
	isWorse := s.abandoned == 0 || s.ignored >= judgedLeast<<(2*s.abandoned) && retryShare*s.before.share() >= s.during.share()
	if !isFlood || !isWorse {
		return false
	}
	s.slowing, s.hasHelped, s.during, s.useless, s.rounds = true, false, tally{}, 0, 1
	s.roundEnd, s.atStart, s.beforeRound = known.Sent, *known, *known
	return true
}

// served records a success and reports whether plain 503s are still worth counting.
func (s *plain503s) served(p *pacer.Partition, now pacer.Instant, t *pacer.Ticket) bool {
	s.rounds = 0
	if s.isOutage {
		s.isOutage = false
		p.Unlearn(now, &s.beforeRound)
	}
	if s.slowing && p.Taught(now, t).Nth > s.atStart.Sent {
		if s.during.add(false); s.during.refused >= judgedLeast && !s.helps() {
			s.abandon(p, now)
		}
		return true
	}
	s.before.add(false)
	return s.slowing || !s.isOver()
}

// isOver reports whether 503s have become so rare that the last abandonment says nothing any more.
func (s *plain503s) isOver() bool {
	share := s.during.share()
	return share*s.before.served > assumedServed && s.before.share() < share/4
}

// refused records a refusal because of a limit. What it taught is not to be forgotten with what 503s taught.
func (s *plain503s) refused(known *pacer.Taught) {
	s.atStart, s.beforeRound, s.rounds, s.isOutage = *known, *known, 0, false
}

// countsAsRefusal reports whether the plain 503 to this visit counts as a refusal.
func (p *Partition) countsAsRefusal(now pacer.Instant, v *Visit) bool {
	n := p.note()
	if n.plain503s == nil {
		n.plain503s = &plain503s{}
	}
	known := p.pacer.Taught(now, &v.ticket)
	return n.plain503s.received(&p.pacer, now, &known)
}

// compareTo503s records a response that is no plain 503, if there have been plain 503s of late.
func (p *Partition) compareTo503s(now pacer.Instant, v *Visit, refused bool) {
	if p.notes == nil || p.notes.plain503s == nil {
		return
	}
	if refused {
		known := p.pacer.Taught(now, &v.ticket)
		p.notes.plain503s.refused(&known)
	} else if !p.notes.plain503s.served(&p.pacer, now, &v.ticket) {
		p.notes.plain503s = nil
	}
}
