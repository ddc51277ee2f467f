package pacer

import "time"

// The defaults that a zero Config stands for.
const (
	DefaultBurst  = 0.1
	DefaultJitter = 0.1
)

// By default a small quota grants a burst of so many units, or of a quarter of
// it where that is less, so that ten calls against 60 per hour go at once.
const (
	burstFloor      = 10
	burstFloorShare = 0.25
)

// Config is what the caller chooses for all partitions.
type Config struct {
	// Burst is the share of a quota that may be sent unspaced after idling, at most. Each
	// unit leaves less of a window, so the interval grows, and the idle time counts for
	// fewer of them: of a quota of 1000 a Burst of 0.1 lets 96 go at once, 0.5 lets 394.
	// 0 and DefaultBurst are the same: a tenth, with a floor of 10 units or a quarter of the quota,
	// whichever is less. Others have no floor but a unit. Negative is none: strictly even. NaN is none.
	Burst float64
	// Jitter is the share of an interval by which a slot is moved either way.
	// 0 is DefaultJitter; negative or NaN is none; more than 1 is 1.
	Jitter float64
	// MaxRate is the fastest pace that is believed, in units per second, however
	// much a server says is left. 0 or less is no bound.
	MaxRate float64
	// Patience is the longest that a request waits at all. Where a limit that is used up, or a hold that comes
	// of its reset, lasts longer, one request goes after ten minutes, after 20 more, 40 and so on up to a day, as a
	// second look: the server may have told a wrong time. What Retry-After asks for is obeyed.
	// 0 or less: there is no bound, and no second look.
	Patience time.Duration
	// Measured makes the burst a whole quota, whatever Burst is: a window's worth of units is
	// a leaky bucket that meters what the client sends, and requests go at once while it has
	// room. As what is left falls the pace does, so about 63 % of it goes at once.
	Measured bool
	// Chance draws numbers of at least 0 and less than 1, all equally likely, by which slots are moved and
	// clients come back spread: rand.Float64 for a client, a seeded one for a simulation. nil always draws one half.
	// Partitions call it, so if several with one Config are used at the same time it must be safe for that.
	Chance func() float64
	// Shared is for a client that will be told its parts of limits, see
	// Partition.Apportion. For a second after it has first heard of limits it sends no
	// more until it is told.
	Shared bool
}

// burst is how many units of a quota may be sent unspaced.
func (c *Config) burst(quota float64) float64 {
	switch {
	case c.Measured:
		return quota
	case c.Burst == 0, c.Burst == DefaultBurst:
		return max(1, DefaultBurst*quota, min(burstFloor, burstFloorShare*quota))
	case c.Burst > 0:
		return max(1, c.Burst*quota)
	}
	return 0
}

// chance draws from Chance; one half without it.
func (c *Config) chance() float64 {
	if c.Chance == nil {
		return 0.5
	}
	return c.Chance()
}

// jitter is the share of an interval by which a slot is moved.
func (c *Config) jitter() float64 {
	switch {
	case c.Jitter > 0:
		return min(c.Jitter, 1)
	case c.Jitter == 0:
		return DefaultJitter
	}
	return 0
}
