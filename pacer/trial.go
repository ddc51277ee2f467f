package pacer

import "time"

const (
	trialStart  = 0.97 // of the rate that the last trial measured
	trialRise   = 0.12 // over as many successes as the last trial had, then over fewer and fewer
	trialLeast  = 5    // but at least so many
	trialFall   = 0.5  // at most, after fewer for once: that may be chance
	trialMost   = 1e4  // and at most: a window with far more is used up ever sooner
	trialLong   = 10   // times as many, and
	trialSure   = 1000 // at all, show that the refusals had another reason
	trialDoubts = 2    // unexplained refusals show that what is told is not all
	trialFew    = 10   // successes, after which a refusal refutes a guess
	trialIdle   = time.Second

	trialHold  = time.Minute // of a hold counts, or
	trialHolds = 3           // times the time before it
)

// trial finds a rate where the server tells none: a little slower than the last
// trial measured, then a little faster with every success, and ever more so, until
// a refusal ends it. The first success after the hold gives the rate:
// the successes since the trial began over the time since, hold included.
type trial struct {
	start       Instant       // of the trial, and once it is ended of the hold; moved by what does not count
	last        Instant       // when the last request was sent
	load        time.Duration // how long the trial took that is ended
	n           int64         // successes of this trial
	before      int32         // of the last one, trialMost at most
	ended       bool          // by a refusal
	unexplained uint8         // refusals that the limits which the server told, and their pace, do not explain
	rate        float64       // units per nanosecond; 0: no pace
	chance      *chance       // nil before the first trial is measured
}

func (t *trial) gap() time.Duration { return interval(t.rate) }

// since is how long ago the last request was sent; 0 for the first.
func (t *trial) since(now Instant) time.Duration {
	if t.start == 0 {
		return 0
	}
	return now.Sub(t.last)
}

// sent notes a request, the first since the last one and since held for which the
// pace asked for a gap. A pause a good deal longer than that tells how little there
// was to send, not how much the server allows: it does not count, whatever was in
// flight. (Who waits for a slow server makes such pauses, too. There each trial
// finds a slower pace, until it is that of the server.)
func (t *trial) sent(now, held Instant, gap time.Duration) {
	if t.start == 0 {
		t.start, t.last = now, now
	}
	if t.ended {
		t.last = max(t.last, held)
	}
	if unused := now.Sub(t.last) - gap; unused > trialIdle {
		t.start = t.start.Add(unused)
	}
	t.last = now
}

// refused notes a refusal, explained by a limit that is used up or not.
func (t *trial) refused(now Instant, explained bool) {
	if t.ended {
		t.load = t.counted(now)
	} else {
		t.load = now.Sub(t.start)
	}
	t.ended, t.start = true, now
	if !explained {
		t.unexplained = min(t.unexplained+1, trialDoubts)
	}
}

// rules reports whether the measured pace is to be kept although limits ask for
// another: the server hides one that is tighter, or how long the window is, and has
// shown it twice (once could be a push-back) and not too long ago.
func (t *trial) rules(gap time.Duration) bool {
	return gap == 0 || t.unexplained >= trialDoubts && t.gap() > gap
}

// succeeded takes in a success, of a request that was sent since the last
// refusal's hold ended if afterHold.
func (t *trial) succeeded(sent Instant, afterHold bool) {
	if t.ended && afterHold {
		t.measure(sent)
	}
	t.n++
	if t.rate == 0 && t.unexplained == 0 {
		return // there is nothing to raise or to forget
	}
	over := float64(max(t.before, trialLeast))
	passed := float64(t.n) / over
	t.rate *= 1 + trialRise/max(trialLeast, over/max(1, passed))
	if passed >= trialLong && t.n >= trialSure {
		t.unexplained = 0
	}
}

// measure takes the rate of the trial that is ended, and begins another.
func (t *trial) measure(now Instant) {
	d, took := t.counted(now), t.load+now.Sub(t.start)
	t.ended, t.start = false, now.Add(-d)
	if t.n == 0 || d <= 0 {
		return // the refusal may have any reason
	}
	if t.chance == nil {
		t.chance = new(chance)
	}
	if t.n < trialLeast && t.before >= trialLeast {
		d = min(d, time.Duration(float64(t.n)/(trialFall*t.rate)))
	}
	t.rate = max(trialStart*float64(t.n)/float64(d), t.chance.ended(t.n, took))
	t.before = int32(min(t.n, trialMost))
	t.n, t.start = 0, now
}

// counted is the time of the trial that is ended, and of the hold until now. That is
// the rest of a window, or a penalty: if it is very long, it counts in part. Was it
// a window, the next trials take longer and leave less of it to a hold, and soon
// all of it counts.
func (t *trial) counted(now Instant) time.Duration {
	return t.load + min(now.Sub(t.start), max(trialHold, trialHolds*t.load))
}
