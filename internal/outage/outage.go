// Package outage decides whether 503s that say nothing of limits are refusals because of a limit, or come from an outage.
package outage

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

// A Detector decides whether plain 503s slow the client down. The zero value is ready for use. A plain 503 has no Retry-After
// and reports no limit. It may be a refusal because of a limit, as nginx's limit_req sends it. Or it may come from an
// outage or a flaky gateway. Slowing down makes 503s rarer only in the first case. So plain 503s slow the client down, as
// bare 429s do, while that makes them rarer. If it does not, the client forgets what they taught, and it takes more 503s
// until the next try.
//
// Example: the first three responses are 503s. Together with the eight successes assumed before, 3 of 11 responses are
// 503s. That is 27 %, more than a quarter, so the client slows down. If 4 of the next 100 responses are 503s, slowing
// down helps: 4 % is less than 0.3 × 27 %. If 4 of the next 20 are 503s, the client tries for another four 503s before
// it stops.
//
// Five rounds of 503s without a success are an outage. The holds after the first four rounds last 0.25, 0.5, 1 and 2 s.
// Then nothing slows the client down until a success comes, and the state from before the outage applies again.
type Detector struct {
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

// Unavailable records a plain 503 and reports whether it counts as a refusal. known is what refusals have taught so far.
func (w *Detector) Unavailable(p *pacer.Partition, now pacer.Instant, known *pacer.Taught) (isRefusal bool) {
	switch {
	case w.isOutage && w.beforeRound.Served > 0: // the time of an outage does not count for the trial
		p.Unlearn(now, &w.beforeRound)
		return false
	case w.isOutage:
		return false
	case !w.slowing:
		return w.start(known)
	case known.Nth <= w.atStart.Sent: // sent before the client slowed down
		w.roundEnd = known.Sent
		w.before.add(true)
		return true
	case w.rounds == 0:
		w.beforeRound = *known
	}
	if known.Nth > w.roundEnd {
		w.rounds++
	}
	w.roundEnd = known.Sent
	w.during.add(true)
	if w.rounds < outageRounds {
		return true
	}
	w.isOutage, w.during = true, tally{refused: outageRounds}
	if w.hasHelped { // it will help again when the outage is over
		p.Unlearn(now, &w.beforeRound)
		w.during = tally{}
	} else {
		w.abandon(p, now)
	}
	return false
}

// abandon stops slowing down and forgets what the 503s have taught.
func (w *Detector) abandon(p *pacer.Partition, now pacer.Instant) {
	p.Unlearn(now, &w.atStart)
	w.beforeRound = w.atStart
	w.slowing, w.before, w.ignored, w.abandoned = false, tally{}, 0, min(w.abandoned+1, abandonmentMost)
}

// helps judges whether slowing down has made 503s rarer, and begins the next judgement. One useless judgement is
// accepted, as finding the pace takes some time. After an abandonment it is accepted only if 503s got a little rarer:
// the tally before is then that of a busy time.
func (w *Detector) helps() bool {
	if w.during.share() <= helpfulShare*w.before.share() {
		w.useless, w.hasHelped = 0, true
	} else if w.useless++; w.useless == uselessMost || w.abandoned > 0 && w.during.share() >= w.before.share() {
		return false
	}
	w.during = tally{}
	return true
}

// start records a 503 while the client does not slow down, and reports whether it slows down from now on. It does after
// four 503s in a row, or when 503s are a quarter of all responses. After each abandonment that takes four times as many
// 503s, and a greater share of all responses than slowing down had left.
func (w *Detector) start(known *pacer.Taught) bool {
	if w.before == (tally{}) && w.abandoned == 0 {
		w.before.served = float32(known.Served) + assumedServed
	}
	w.before.add(true)
	w.ignored++
	w.rounds++
	isFlood := w.rounds >= judgedLeast || w.before.share() >= floodShare
	isWorse := w.abandoned == 0 || w.ignored >= judgedLeast<<(2*w.abandoned) && retryShare*w.before.share() >= w.during.share()
	if !isFlood || !isWorse {
		return false
	}
	w.slowing, w.hasHelped, w.during, w.useless, w.rounds = true, false, tally{}, 0, 1
	w.roundEnd, w.atStart, w.beforeRound = known.Sent, *known, *known
	return true
}

// Served records a success and reports whether plain 503s are still worth counting.
func (w *Detector) Served(p *pacer.Partition, now pacer.Instant, t *pacer.Ticket) bool {
	w.rounds = 0
	if w.isOutage {
		w.isOutage = false
		p.Unlearn(now, &w.beforeRound)
	}
	if w.slowing && p.Taught(now, t).Nth > w.atStart.Sent {
		if w.during.add(false); w.during.refused >= judgedLeast && !w.helps() {
			w.abandon(p, now)
		}
		return true
	}
	w.before.add(false)
	return w.slowing || !w.isOver()
}

// isOver reports whether 503s have become so rare that the last abandonment says nothing any more.
func (w *Detector) isOver() bool {
	share := w.during.share()
	return share*w.before.served > assumedServed && w.before.share() < share/4
}

// Refused records a refusal because of a limit. What it taught is not to be forgotten with what 503s taught.
func (w *Detector) Refused(known *pacer.Taught) {
	w.atStart, w.beforeRound, w.rounds, w.isOutage = *known, *known, 0, false
}
