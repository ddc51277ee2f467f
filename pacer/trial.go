package pacer

import "time"

// trial finds a rate where the server tells none: it goes a little slower than
// what the last trial measured, then a little faster with every success, until
// a refusal ends it.
type trial struct {
	start  Instant
	last   Instant // last event
	n      int64   // successes since
	prev   int64   // successes of the trial before
	rate   float64 // units per nanosecond; 0: no pace
	ending bool    // a refusal ended the trial: the next success gives its rate
}

const (
	trialStart = 0.95 // of what was measured
	trialRise  = 0.22 // over as many successes as the last trial had
	trialLeast = 10
)

func (t *trial) gap() time.Duration { return gapOf(t.rate) }

func (t *trial) sent(now Instant) {
	if t.start == 0 {
		t.start = max(now, 1)
	}
	t.last = now
}

func (t *trial) succeeded(now Instant, k Ticket, since Instant) {
	if t.ending && k.sent >= since {
		if d := now.Sub(t.start); d > 0 && t.n > 0 {
			t.rate = trialStart * float64(t.n) / float64(d)
			t.prev, t.start, t.n = t.n, now, 0
		}
		t.ending = false
	}
	t.n++
	t.rate *= 1 + trialRise/float64(max(t.prev, trialLeast))
}

func (t *trial) refused(now Instant) { t.ending = true }
