package pacer

import (
	"math"
	"time"
)

const (
	trialLeast      = 5                // successes that make a rate: fewer are chance, more leave slow limits unfound
	trialStart      = 0.97             // of the measured rate is the next one: more is refused sooner, less is unused
	trialRise       = 0.07             // of the rate, over the time that the last trial took: more finds what is free sooner, less is refused less often
	trialVain       = 3                // refusals in vain for each success at most: with more of them an outage is taken for a rate, with fewer no rate is found where many share one
	trialBrief      = 10 * time.Second // over which it rises at least: shorter is refused more often, longer forgets a storm late
	trialHold       = time.Minute      // of a hold counts as time, or three times what was before it: a longer one may be a penalty
	trialSure       = 10               // such times without a refusal show that those before had another reason
	trialIdle       = time.Second      // a pause that is longer says how little there was to send, not how much is allowed
	trialMost       = 20               // in all, as a power of e: more overflows in the end
	unexplainedMost = 2                // refusals that show that what limits tell is not all: one may be a push-back
)

// A trial finds a rate where the server tells none: a little slower than the last
// trial measured, then a little faster with time, and ever more so, until a refusal
// ends it. This is CUBIC's idea (RFC 9438): near the rate that was refused go slowly, long
// after the refusal go fast.
//
// Say 57 successes came in the 60 s from the beginning of a trial until requests were allowed again
// after its refusal. Then the next trial begins at 0.97 × 57/60 = 0.92 per second. After
// 60 s it is at 0.99, after 120 s at 1.6, after 180 s at 6 per second.
type trial struct {
	begun       Instant       // when the trial began; moved by what does not count
	last        Instant       // when the last request was sent
	took        time.Duration // the last trial
	told        time.Duration // the longest hold that a refusal has told
	load        time.Duration // what of this one was before the refusal that ended it
	start       float64       // units per nanosecond with which this trial began; 0: no pace
	chance      *chance       // nil before the first trial is measured
	n           uint32        // successes of this trial
	vain        uint32        // refusals that came although the client had waited as long as it was told
	unexplained uint8         // refusals that the limits which the server told, and their pace, do not explain
	ended       bool          // by a refusal
}

// rate is that of the trial at some time.
func (t *trial) rate(now Instant) float64 {
	if t == nil || t.start == 0 {
		return 0
	}
	x := t.progress(now)
	return t.start * math.Exp(min(trialRise*max(x, x*x*x), trialMost))
}

// progress is how long the trial has been going on, in times of the last one.
func (t *trial) progress(now Instant) float64 {
	if t.ended {
		return float64(t.load) / float64(max(t.took, trialBrief))
	}
	now = min(now, t.last.Add(max(trialIdle, interval(t.start)))) // a pause is no progress, see sent
	return float64(max(now.Sub(t.begun), 0)) / float64(max(t.took, trialBrief))
}

// gap is the interval at that rate: a minute at most, or as long as a refusal has told to wait.
func (t *trial) gap(now Instant) time.Duration {
	if t == nil {
		return 0
	}
	return min(interval(t.rate(now)), max(mostPause, t.told))
}

// rules reports whether this pace is to be kept although limits ask for another, after gap: the
// server hides one that is tighter, or how long the window is.
func (t *trial) rules(now Instant, gap time.Duration) bool {
	return gap == 0 || t != nil && t.unexplained >= unexplainedMost && t.gap(now) > gap
}

// sent notes a request, the first since the last one and since held for which the
// pace asked for a gap. A pause a good deal longer than that does not count, whatever was in flight.
// (Who waits for a slow server makes such pauses, too. There each trial
// finds a slower pace, until it is that of the server.)
func (t *trial) sent(now, held Instant, gap time.Duration) {
	if t == nil {
		return
	}
	if t.begun == 0 {
		t.begun, t.last = now, now
	}
	if t.ended {
		t.last = max(t.last, held)
	}
	if unused := now.Sub(t.last) - gap; unused > trialIdle {
		t.begun = t.begun.Add(unused)
	}
	t.last = now
}

// refused notes the first refusal of a round, explained by a limit that is used up or not.
func (t *trial) refused(now Instant, explained, inVain bool, told time.Duration) {
	t.told = max(t.told, told)
	if inVain {
		t.vain++
	}
	t.load = max(t.counted(now), 0)
	t.ended, t.begun = true, now
	if !explained && t.n > 1 { // one success says nothing of a rate
		t.unexplained = min(t.unexplained+1, unexplainedMost)
	}
}

// succeeded takes in a success, of a request that was sent since the last refusal's hold ended if
// afterHold.
func (t *trial) succeeded(now Instant, afterHold bool) {
	if t == nil {
		return
	}
	if t.ended && afterHold {
		t.measure(now)
	}
	t.n++
	if t.progress(now) >= trialSure {
		t.unexplained = 0
	}
}

// measure takes the rate of the trial that is ended, its hold included, and begins another. One with
// too few successes goes on.
func (t *trial) measure(now Instant) {
	took, all := t.counted(now), t.load+now.Sub(t.begun)
	t.ended, t.begun = false, now.Add(-took)
	if trialVain*uint64(t.n) > uint64(t.vain) && took > 0 {
		if t.chance == nil {
			t.chance = new(chance)
		}
		t.start = max(trialStart*float64(t.n)/float64(took), t.chance.ended(int64(t.n), all))
		if t.n < trialLeast {
			t.start = max(t.start, 1/float64(mostPause))
		}
		t.took = scale(took, max(1, trialLeast/float64(t.n)))
		t.n, t.vain, t.begun = 0, 0, now
	}
}

// counted is the time of the trial, and of the hold that has ended it until now.
func (t *trial) counted(now Instant) time.Duration {
	if !t.ended {
		return now.Sub(t.begun)
	}
	return t.load + min(now.Sub(t.begun), max(trialHold, 3*t.load))
}
