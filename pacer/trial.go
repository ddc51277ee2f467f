package pacer

import (
	"math"
	"time"
)

const (
	trialStart  = 0.97             // of the measured rate is the next one: more is refused sooner, less is unused
	trialRise   = 0.1              // of the rate, over as many successes as the last trial had: more finds sooner what is free, less is refused less often
	trialLeast  = 5                // successes that make a rate, and trials that are judged together: fewer are chance, more are late
	trialCalm   = 3                // successes over which it rises at least after a rate that was measured: more is late, fewer are refused more often
	trialVain   = 3                // refusals in vain to a success: more take an outage for a rate, fewer find none where many share one
	trialIdle   = time.Second      // a pause that is longer says how little there was to send, not how much is allowed
	trialChance = 10 * time.Second // backoffs that are longer are no chance: more obeys late a limit that has fallen, less starves beside faster clients
	trialRamp   = 8                // times the mean rate is the last one at most: more believes in a rate that the client did not use, less stays too slow
	chanceFall  = 0.25             // of the best rate: limits fall farther more seldom, chance takes longer to get there
	chanceGain  = 1.5              // of the best rate is tried then, and has to bring so much more: less falls again, more is refused more often

	unexplainedMost = 2 // refusals that show that what limits tell is not all: one may be a push-back
)

// A trial finds a rate where the server tells none: a little slower than the last
// trial measured, then a little faster with each success, and ever more so, until a refusal
// ends it. This is CUBIC's idea (RFC 9438): near the rate that was refused go slowly, long
// after the refusal go fast.
//
// Say 57 successes came in the 60 s from the beginning of a trial until requests were allowed again
// after its refusal. Then the next trial begins at 0.97 × 57/60 = 0.92 per second. After
// 57 successes it is at 1.01, after 114 at 1.29, after 228 at 2.4 per second.
//
// A server that grants a burst first saves up what is not used. What it grants from one refusal to the next is its
// rate then, however few that are. A server without a burst refuses the second request at once, and saves up nothing:
//
//   - The first trial has measured nothing. But a request was granted after the last backoff, so one per backoff is
//     allowed. The next trial begins there, and rises over one success (slow start). Say the backoff took 0.3 s. Then
//     it begins at 0.97/0.3 = 3.2 per second, and after seven successes it is at 19 per second.
//   - A refusal may come of another client that was a little earlier. The slower a client is, the more often it meets
//     others. If its rate were that of its few successes, backoffs included, it would starve. So after fewer than five
//     successes and a short backoff, the next trial begins half way between the rates that were tried and measured, at their
//     geometric mean. Say 2 successes at 4 per second, and 1 s in all. Then it begins at √(4 × 2) = 2.8 per second.
//
// Where the server tells how long to wait, the limit needs that time, and it counts as always.
//
// Refusals that come by chance, of a flaky gateway say, end trial after trial, and each measures a
// little less than the last, for ever. But slowing down does not make them rarer. So once trials bring
// but a quarter of the best rate, the pace is 1.5 times that rate again, and stays
// there if that brings 1.5 times as much. If not, a limit has fallen.
type trial struct {
	begun       Instant       // when the trial began; moved by what does not count
	last        Instant       // when the last request was sent
	told        time.Duration // the longest hold that a refusal has told
	load        time.Duration // what of this one was before the refusal that ended it
	start       float64       // units per nanosecond with which this trial began; 0: no pace
	n           uint32        // successes of this trial
	over        uint32        // successes over which it rises: those of the last trial, as a rule; 0: none has ended
	vain        uint32        // refusals that came although the client had waited as long as it was told
	all, lasted float32       // successes and nanoseconds, holds included, of the trials to be judged
	best        float32       // successes per nanosecond that trials have brought
	slow        float32       // what they brought before the pace went back to the best; 0: it did not
	trials      uint8         // to be judged
	unexplained uint8         // refusals that the limits which the server told, and their pace, do not explain
	ended       bool          // by a refusal
	chosen      bool          // the hold after that refusal is a backoff, which the server did not tell
	saves       bool          // the server granted a burst first, so it saves up what is not used
}

// rate is that of the trial at some time.
func (t *trial) rate(now Instant) float64 {
	since := t.load
	if !t.ended {
		since = now.Sub(t.begun)
	}
	x := float64(t.n) / float64(max(t.over, 1))
	risen := t.start * (1 + trialRise*max(x, x*x))
	return max(t.start, min(risen, trialRamp*float64(t.n)/float64(max(since, 1))))
}

// gap is the interval at that rate: a minute at most, or as long as a refusal has told to wait.
func (t *trial) gap(now Instant) time.Duration {
	if t == nil || t.start == 0 {
		return 0
	}
	return min(interval(t.rate(now)), max(mostPause, t.told))
}

// rules reports whether this pace is to be kept although limits ask for another, after gap: the
// server hides one that is tighter, or how long the window is.
func (t *trial) rules(now Instant, gap time.Duration) bool {
	return gap == 0 || t != nil && t.unexplained == unexplainedMost && t.gap(now) > gap
}

// sent notes a request, the first since the last one and since held for which the
// pace asked for a gap. A pause a good deal longer than that does not count, whatever was in flight.
// (Who waits for a slow server makes such pauses, too. There each trial
// finds a slower pace, until it is that of the server.)
func (t *trial) sent(now, held Instant, gap time.Duration) {
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
	t.ended, t.begun, t.chosen = true, now, told < 0
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
}

// measure takes the rate of the trial that is ended, its hold included, and begins another. One that
// was refused in vain again and again goes on.
func (t *trial) measure(now Instant) {
	held, last := now.Sub(t.begun), t.rate(now)
	took, lasted := t.counted(now), t.load+held
	t.ended, t.begun = false, now.Add(-took)
	if took <= 0 || trialVain*uint64(t.n) <= uint64(t.vain) {
		return
	}
	isFirst, isSlowStart, isFew, mean := t.over == 0, t.over == 1, t.n < trialLeast, float64(t.n)/float64(took)
	t.saves = t.saves || isFirst && !isFew
	t.start, t.over = trialStart*mean, max(t.n, t.over/2)
	switch {
	case isFirst && isFew && t.chosen:
		t.start, t.over = trialStart/float64(max(held, 1)), 1
	case !t.saves && t.chosen && (isFew || isSlowStart) && held < trialChance:
		t.start = max(t.start, math.Sqrt(mean*last))
	default:
		t.over = max(t.over, trialCalm)
	}
	t.judge(lasted)
	t.n, t.vain, t.begun = 0, 0, now
}

// judge tells refusals by chance from a limit that has fallen, by some trials together.
func (t *trial) judge(lasted time.Duration) {
	t.all, t.lasted, t.trials = t.all+float32(t.n), t.lasted+float32(lasted), t.trials+1
	if t.trials == trialLeast {
		rate := t.all / t.lasted
		t.all, t.lasted, t.trials = 0, 0, 0
		switch {
		case t.slow > 0 && rate < chanceGain*t.slow:
			t.best, t.slow = max(rate, t.slow), 0
		case t.slow == 0 && rate < chanceFall*t.best:
			t.slow = rate
		default:
			t.best = max(t.best, rate)
		}
	}
	if t.slow > 0 {
		t.start = max(t.start, chanceGain*float64(t.best))
	}
}

// counted is the time of the trial, and of the hold that has ended it until now. Of a hold that is far
// longer than what was before it a part counts: it may be a penalty.
func (t *trial) counted(now Instant) time.Duration {
	if !t.ended {
		return now.Sub(t.begun)
	}
	return t.load + min(now.Sub(t.begun), max(mostPause, 3*t.load))
}
