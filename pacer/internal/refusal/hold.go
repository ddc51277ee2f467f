package refusal

import (
	"math"
	"time"

	"github.com/cenkalti/backoff/v4"
)

const (
	firstBackoff  = 250 * time.Millisecond // after a refusal that reports no time; each round doubles it. Shorter: retries too often. Longer: waits in vain
	mostBackoff   = time.Minute            // longest backoff. Longer: a server that has recovered stays unused. Shorter: more refusals while it has not
	lockoutRounds = 28                     // rounds of refusals alone, about 20 minutes, after which the backoff doubles again: each request may renew a block. More: shut out for longer. Less: recovers late from long storms
	lockoutMost   = 16 * time.Minute       // longest backoff then. More, less: as above
	backoffPart   = 0.4                    // of the backoff, which a reported time counts as at least: servers report zero or a second every time. More: waits in vain. Less: refusals

	// LookFirst is the time in seconds from a report of a long wait to the first second look. Each one without success
	// doubles the time. Shorter: more refusals. Longer: a mistake stops requests for longer.
	LookFirst = 60.0
	// MostLooks is how often the time doubles.
	MostLooks = 11
)

// A Hold is a time before which requests do not go, unless as a second look: one early request that checks whether a long
// wait is still required.
type Hold struct {
	Until float64 // its end
	Firm  float64 // the end of what Retry-After asked for
	At    float64 // when it was last reported, or checked
	Looks uint8   // second looks in a row without success
}

// Extend holds until a time at least. Retry-After asks for a hold until firm.
func (h *Hold) Extend(until, firm float64) { h.Until, h.Firm = max(h.Until, until), max(h.Firm, firm) }

// Early returns when a request may go that waits until end: then, or before as a second look.
func (h *Hold) Early(end float64) float64 {
	return min(end, max(h.Firm, h.At+math.Ldexp(LookFirst, int(h.Looks))))
}

// Looked notes a second look.
func (h *Hold) Looked(now float64) { h.At, h.Looks = now, min(h.Looks+1, MostLooks) }

// Lift ends the hold at a time, but not before what Retry-After asked for. It reports whether this changes anything.
func (h *Hold) Lift(at float64) bool {
	before := h.Until
	h.Until = min(before, max(h.Firm, at))
	return h.Until < before
}

// Rounds are refusals in a row. Those of requests that were in flight together are one round. So are those of requests that
// were sent in spite of the hold.
type Rounds struct {
	n       int
	backoff backoff.ExponentialBackOff
}

// A noClock is for backoffs that never give up, which need no time.
type noClock struct{}

func (noClock) Now() time.Time { return time.Time{} }

// Wait returns how long a refusal holds, in seconds: what the server reported, or else the backoff. reported is negative if it
// reported no time. Only the first refusal of a round adds a backoff.
func (r *Rounds) Wait(reported float64, isFirst bool) float64 {
	next := 0.0
	if isFirst {
		next = r.next().Seconds()
	}
	if reported >= 0 {
		return max(reported, backoffPart*next)
	}
	return next
}

func (r *Rounds) next() time.Duration {
	switch r.n++; r.n {
	case 1:
		r.backoff = backoff.ExponentialBackOff{
			InitialInterval: firstBackoff, Multiplier: 2, MaxInterval: mostBackoff, Clock: noClock{},
		}
		r.backoff.Reset()
	case lockoutRounds:
		r.backoff.MaxInterval = lockoutMost
	}
	return r.backoff.NextBackOff()
}

// End ends the backoff, after a success of a request that was sent after the refusal.
func (r *Rounds) End() { *r = Rounds{} }

// Bound ends the hold at latest.
func (h *Hold) Bound(latest float64) { h.Until, h.Firm = min(h.Until, latest), min(h.Firm, latest) }
