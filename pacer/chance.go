package pacer

import "time"

const (
	chanceTrials = 6    // are judged together: fewer are chance, more are late
	chanceFall   = 0.25 // of the best rate: limits fall farther more seldom, chance takes longer to get there
	chanceGain   = 1.5  // times what the slower pace brought: what the faster one has to bring, or it is given up
	chanceRarer  = 0.35 // of the successes to a refusal: fewer at the faster pace show that the slower one did help
	chanceLift   = 1.5  // over what a pace brought, as holds interrupt it: less falls again, more is refused more often
)

// chance tells refusals that have nothing to do with the pace, of a flaky gateway
// say. They end trial after trial, and each is measured a little slower than the
// last, for ever. But slowing down does not make them rarer: so once the rate has
// fallen far below the best, the pace goes back there, and stays unless that is
// refused more often than the slower one was, or brings no more. Then it is a limit
// that has fallen.
type chance struct {
	n, d   float32 // successes and nanoseconds of the trials to be judged
	best   float32 // successes per nanosecond, holds included, that trials have brought
	slow   float32 // what they brought when the pace went back to the best; 0: it did not
	each   float32 // and to how many successes there was a refusal
	trials uint8
}

// ended takes in a trial and how long it took, all of its hold included, and
// returns the rate below which the pace is not to fall.
func (c *chance) ended(n int64, d time.Duration) float64 {
	c.n, c.d, c.trials = c.n+float32(n), c.d+float32(d), c.trials+1
	if c.trials == chanceTrials {
		c.judge()
	}
	if c.slow == 0 {
		return 0
	}
	return chanceLift * float64(c.best)
}

func (c *chance) judge() {
	rate, each := c.n/c.d, c.n/chanceTrials
	c.n, c.d, c.trials = 0, 0, 0
	switch {
	case c.slow > 0 && (rate < chanceGain*c.slow || each < chanceRarer*c.each):
		c.slow, c.best = 0, max(rate, c.slow)
	case c.slow == 0 && rate < chanceFall*c.best:
		c.slow, c.each = rate, each
	default:
		c.best = max(c.best, rate)
	}
}
