package pacer

import "time"

const (
	trialStart  = 0.97 // of the rate that the last trial measured
	trialRise   = 0.15 // over as many successes as the last trial had
	trialLeast  = 10   // successes over which to rise, at least
	trialDoubts = 2
	trialIdle   = time.Second
)

// trial finds a rate where the server tells none: a little slower than the last
// trial measured, then a little faster with every success, until a refusal ends
// it. The first success after the hold gives the rate: the successes since the
// trial began over the time since, hold included.
type trial struct {
	start, last Instant // of the trial; of the last request or answer
	n, before   int64   // successes of this trial and of the last one
	rate        float64 // units per nanosecond; 0: no pace
	ended       bool    // by a refusal
	unexplained uint8   // refusals for which no limit that the server told is the reason
}

func (t *trial) gap() time.Duration { return interval(t.rate) }

// sent notes a request. Time in which the client had nothing to send says
// nothing about the server's rate; time in which it kept to the pace, or waited
// for an answer, does. What is in flight all the while may be a long poll.
func (t *trial) sent(now Instant) {
	unused := now.Sub(t.last) - t.gap()
	switch {
	case t.start == 0:
		t.start = now
	case !t.ended && unused > trialIdle:
		t.start = t.start.Add(unused)
	}
	t.last = now
}

// refused notes a refusal, explained by a limit that is used up or not.
func (t *trial) refused(now Instant, explained bool) {
	t.ended, t.last = true, now
	if !explained {
		t.unexplained = min(t.unexplained+1, trialDoubts)
	}
}

// rules reports whether the measured pace is to be kept although limits ask for
// another: the server hides one that is tighter, and has shown it twice (once
// could be a push-back).
func (t *trial) rules(gap time.Duration) bool {
	return gap == 0 || t.unexplained >= trialDoubts && t.gap() > gap
}

// succeeded takes in a success, of a request that was sent since the last
// refusal's hold ended if afterHold.
func (t *trial) succeeded(now Instant, afterHold bool) {
	t.last = now
	if t.ended && afterHold {
		t.ended = false
		// One refusal after a few successes may have any reason.
		if d := now.Sub(t.start); d > 0 && (t.n >= trialLeast || t.n > 0 && t.rate > 0) {
			t.rate = trialStart * float64(t.n) / float64(d)
			t.before, t.n, t.start = t.n, 0, now
		}
	}
	t.n++
	t.rate *= 1 + trialRise/float64(max(t.before, trialLeast))
}
