package pacer

import "time"

// trial finds a rate where the server tells none.
type trial struct {
	start  Instant
	n      int64
	rate   float64 // units per nanosecond; 0: no pace
	ending bool    // a refusal ended the trial: the next success gives its rate
	begun  bool
}

func (t *trial) gap() time.Duration {
	if t.rate <= 0 {
		return 0
	}
	return scale(1, 1/t.rate)
}

func (t *trial) sent(now Instant) {
	if !t.begun {
		t.begun, t.start = true, now
	}
}

func (t *trial) succeeded(now Instant, k Ticket) {
	if t.ending && k.sent > t.start {
		if d := now.Sub(t.start); d > 0 && t.n > 0 {
			t.rate = float64(t.n) / float64(d)
		}
		t.start, t.n, t.ending = now, 0, false
	}
	t.n++
	t.rate *= 1.01
}

func (t *trial) refused(now Instant) { t.ending = true }
