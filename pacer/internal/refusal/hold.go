package refusal

import (
	"math"
	"time"

	"github.com/cenkalti/backoff/v4"

	"github.com/headway-go/headway/pacer/internal/codec"
)

const (
	firstBackoff  = 250 * time.Millisecond // after a refusal that reports no time; each round doubles it. Shorter: retries too often. Longer: waits in vain
	mostBackoff   = time.Minute            // longest backoff. Longer: a server that has recovered stays unused. Shorter: more refusals while it has not
	lockoutRounds = 28                     // rounds of refusals alone, about 20 minutes, after which the backoff doubles again: each request may renew a block. More: shut out for longer. Less: recovers late from long storms
	lockoutMost   = 4                      // times that it does, to 16 minutes. More, less: as above
	backoffPart   = 0.4                    // of the backoff, which a reported time counts as at least: servers report zero or a second every time. More: waits in vain. Less: refusals
	rounding      = 1.0                    // seconds: servers round times to it, so no time is later by more
	marginStep    = 0.25                   // seconds: least margin of times that are too early. More: waits in vain. Less: more refusals
	marginFades   = 600.0                  // seconds in which a margin halves. Longer: waits in vain. Shorter: is refused again
)

// A Hold is a time before which nothing goes.
//
// An example: a refusal comes at 10 s with Retry-After: 5. The hold ends at 15 s, and the client comes back at a
// random time within one interval after that, or within a second if that is longer. If it is refused again at 15.1 s,
// the server's time was 0.1 s too early, and from then on 0.35 s are added.
type Hold struct {
	Until float64 // its end
	Firm  float64 // the end of what Retry-After asked for
	At    float64 // when it was last reported, or checked
	Since uint64  // requests sent when the last refusal came: a success of one of them proves nothing

	Rounds uint8 // of refusals in a row
	Looks  uint8 // checks in a row without success

	margin   float64 // how much too early the server's times are
	marginAt float64
}

// Backoff returns the hold of a round that reports no time, in seconds. Rounds count from 0.
func Backoff(round int) float64 {
	b := backoff.ExponentialBackOff{
		InitialInterval: firstBackoff, Multiplier: 2, MaxInterval: mostBackoff, Clock: noClock{},
	}
	b.Reset()
	for range min(round, 16) {
		b.NextBackOff()
	}
	return math.Ldexp(b.NextBackOff().Seconds(), min(max(round-lockoutRounds, 0), lockoutMost))
}

// A noClock is for backoffs that never give up, which need no time.
type noClock struct{}

func (noClock) Now() time.Time { return time.Time{} }

// Margin returns by how much the server's times are too early, in seconds.
func (h *Hold) Margin(now float64) float64 {
	if h.margin == 0 {
		return 0
	}
	return h.margin * math.Exp2(-max(now-h.marginAt, 0)/marginFades)
}

// SetMargin raises the margin.
func (h *Hold) SetMargin(now, margin float64) {
	if margin = min(margin, rounding); margin > h.Margin(now) {
		h.margin, h.marginAt = margin, now
	}
}

// TooEarly learns the margin from a refusal that comes late after a time at which requests should be allowed again. Of
// a short window the margin is a small part.
func (h *Hold) TooEarly(now, late, window float64) {
	if late >= 0 && late < rounding {
		h.SetMargin(now, min(max(2*h.Margin(now), late+min(marginStep, window/20)), window/5))
	}
}

// Wait returns how long a refusal holds: what the server reported, or else the backoff. reported is negative if it reported no time.
// A refusal that is not the first of its round adds no backoff.
func (h *Hold) Wait(reported float64, isFirst bool) float64 {
	backoff := 0.0
	if isFirst {
		backoff = Backoff(int(h.Rounds))
	}
	if reported >= 0 {
		return max(reported, backoffPart*backoff)
	}
	return backoff
}

// Round counts a round of refusals.
func (h *Hold) Round() { h.Rounds = min(h.Rounds, math.MaxUint8-1) + 1 }

// Succeeded ends the backoff, if the success is of a request that was sent after the refusal.
func (h *Hold) Succeeded() { h.Rounds, h.Looks = 0, 0 }

// Serialize writes or reads the hold.
func (h *Hold) Serialize(c *codec.Codec) {
	c.Time(&h.Until, c.Latest)
	c.Time(&h.Firm, h.Until)
	c.Time(&h.At, c.Now)
	codec.Count(c, &h.Looks, 0, 8)
	codec.Count(c, &h.Rounds, 0, math.MaxUint8)
}
