package pacer

import (
	"math"
	"time"
)

// This file learns a rate from refusals, where the server reports no limit.

const (
	trialStart  = 0.97             // part of the measured rate with which the next trial begins. More: refused sooner. Less: quota stays unused
	trialRise   = 0.1              // rise of the rate over as many successes as the last trial had. More: finds free quota sooner. Less: fewer refusals
	trialLeast  = 5                // successes that measure a rate, and trials that are judged together. Fewer: chance. More: late
	trialCalm   = 3                // least successes over which a measured rate rises. More: late. Fewer: more refusals
	trialVain   = 3                // a trial with so many refusals for each success, after waits that were obeyed, measures nothing. More: an outage is taken for a rate. Fewer: finds no rate that many clients share
	trialIdle   = time.Second      // a longer pause shows that there was little to send, not how much is allowed
	trialChance = 10 * time.Second // longest backoff that may be due to chance. Longer: obeys a reduced limit late. Shorter: starves beside faster clients
	trialRamp   = 8                // a trial's rate is at most so many times its successes over its time. More: trusts a rate that the client did not use. Less: stays too slow
	chanceFall  = 0.25             // part of the best rate below which refusals look like chance. Less: chance takes longer to get there. More: limits do fall that far
	chanceGain  = 1.5              // times the best rate that is tried then, and the gain that it must bring. Less: falls again. More: more refusals

	unexplainedMost = 2 // refusals which prove that the reported limits are not complete. Fewer: one may be a push-back
)

// A trial lasts until a refusal, and the hold after it. Its successes over its time are the measured rate, and the
// next trial begins a little below that. The rate rises slowly at first, and ever faster with each success. This is
// the idea of CUBIC (RFC 9438): go slowly near the rate that was refused, and fast long after the refusal.
//
// An example: a trial has 57 successes in 60 s, from its beginning until requests are allowed again after its
// refusal. The next trial begins at 0.97 × 57/60 = 0.92 per second. After 57 successes its rate is 1.01,
// after 114 it is 1.29, and after 228 it is 2.4 per second.
//
// Some servers save up unused quota, and grant it as a burst. There the successes between two refusals measure the
// rate, however few they are. Others save up nothing, and refuse the second request at once:
//
//   - The first trial has measured nothing. But one request was allowed after the last backoff, so one per
//     backoff is allowed. The next trial begins at that rate, and rises over one success (slow start). For
//     example, a backoff of 0.3 s gives 0.97/0.3 = 3.2 per second at first, and 19 per second after seven
//     successes.
//   - Another client's request may have come a little earlier and caused the refusal. The slower a client is,
//     the more often this happens. If its rate were measured from its few successes and the backoffs, it
//     would starve. So after fewer than five successes and a short backoff, the next trial begins at the
//     geometric mean of the last rate and the measured one. For example, 2 successes in 1 s at a last rate of
//     4 per second give √(4 × 2) = 2.8 per second.
//
// After a hold that the server asked for, neither applies: the limit needs that time.
//
// Refusals by chance, for example from a flaky gateway, end one trial after another, and each measures a little
// less than the last. But slowing down does not make such refusals rarer. The best rate is the largest that five
// trials together have brought. If five trials bring less than a quarter of the best rate, the next ones begin at
// 1.5 times the best rate. If five of those do not bring 1.5 times as much as before, a limit has fallen, and
// trials go on as usual.
type trial struct {
	begun       Instant       // beginning of the trial, moved by pauses that do not count
	last        Instant       // when the last request was sent
	told        time.Duration // the longest hold that a refusal has reported
	load        time.Duration // time of this trial before the refusal that ended it
	start       float64       // first rate of this trial in units per nanosecond; 0: no pace
	n           uint32        // successes of this trial
	over        uint32        // successes over which the rate rises, usually those of the last trial; 0: no trial has ended
	vain        uint32        // refusals of requests that waited as long as the server asked for
	all, lasted float32       // successes and nanoseconds, with holds, of the trials that are judged next
	best        float32       // largest rate that trials have brought, in successes per nanosecond
	slow        float32       // the rate before the pace went back to the best; 0: it did not go back
	trials      uint8         // number of trials that are judged next
	unexplained uint8         // refusals that reported limits and their pace do not explain
	ended       bool          // by a refusal
	chosen      bool          // the hold after that refusal is a backoff of the client
	isExact     bool          // refusals measure the limit: the server grants bursts or reports a limit. Else other clients may have been a little earlier
}

// rate returns the rate of the trial.
func (t *trial) rate(now Instant) float64 {
	since := t.load
	if !t.ended {
		since = now.Sub(t.begun)
	}
	x := float64(t.n) / float64(max(t.over, 1))
	risen := t.start * (1 + trialRise*max(x, x*x))
	return max(t.start, min(risen, trialRamp*float64(t.n)/float64(max(since, 1))))
}

// gap returns the interval at that rate. It is at most a minute, or the longest hold that a refusal has
// reported.
func (t *trial) gap(now Instant) time.Duration {
	if t == nil || t.start == 0 {
		return 0
	}
	return min(interval(t.rate(now)), max(mostPause, t.told))
}

// rules reports whether the trial's pace replaces the pace of the limits, which has that gap. It does if the
// server hides a tighter limit, or the length of the window.
func (t *trial) rules(now Instant, gap time.Duration) bool {
	return gap == 0 || t != nil && t.unexplained == unexplainedMost && t.gap(now) > gap
}

// sent records a request. held is the end of the last hold, and gap the interval that the pace asked for. A
// pause that is much longer than gap does not count, whatever was in flight. (A client that waits for a slow
// server makes such pauses, too. There each trial finds a slower pace, until it is the server's.)
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

// refused records the first refusal of a round. explained: a used-up limit explains it. inVain: the client
// had waited as long as the server asked for.
func (t *trial) refused(now Instant, explained, inVain bool, told time.Duration) {
	t.told = max(t.told, told)
	if inVain {
		t.vain++
	}
	t.load = max(t.counted(now), 0)
	t.ended, t.begun, t.chosen = true, now, told < 0
	if !explained && t.n > 1 { // one success measures no rate
		t.unexplained = min(t.unexplained+1, unexplainedMost)
	}
}

// succeeded counts a success. afterHold: its request was sent after the hold of the last refusal.
func (t *trial) succeeded(now Instant, afterHold bool) {
	if t == nil {
		return
	}
	if t.ended && afterHold {
		t.measure(now)
	}
	t.n++
}

// measure computes the rate of the ended trial, its hold included, and begins another one. But a trial goes on while
// its refusals after obeyed waits are at least three times its successes.
func (t *trial) measure(now Instant) {
	held, last := now.Sub(t.begun), t.rate(now)
	took, lasted := t.counted(now), t.load+held
	t.ended, t.begun = false, now.Add(-took)
	if took <= 0 || trialVain*uint64(t.n) <= uint64(t.vain) {
		return
	}
	isFirst, isSlowStart, isFew, mean := t.over == 0, t.over == 1, t.n < trialLeast, float64(t.n)/float64(took)
	t.isExact = t.isExact || isFirst && !isFew
	t.start, t.over = trialStart*mean, max(t.n, t.over/2)
	switch {
	case isFirst && isFew && t.chosen:
		t.start, t.over = trialStart/float64(max(held, 1)), 1
	case !t.isExact && t.chosen && (isFew || isSlowStart) && held < trialChance:
		t.start = max(t.start, math.Sqrt(mean*last))
	default:
		t.over = max(t.over, trialCalm)
	}
	t.judge(lasted)
	t.n, t.vain, t.begun = 0, 0, now
}

// judge distinguishes refusals by chance from a limit that has fallen, over several trials.
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

// counted returns the time of the trial, and of the hold after it until now. Of the hold three times the time before
// it count at most, or a minute if that is longer: a longer hold may be a penalty.
func (t *trial) counted(now Instant) time.Duration {
	if !t.ended {
		return now.Sub(t.begun)
	}
	return t.load + min(now.Sub(t.begun), max(mostPause, 3*t.load))
}
