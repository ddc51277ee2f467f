package pacer

// The defaults for zero fields of Config.
const (
	DefaultBurst  = 0.1
	DefaultJitter = 0.1
)

// Config is what the caller chooses for all partitions.
type Config struct {
	// Burst is the largest part of a quota that may be sent at once after an idle time. 0 is DefaultBurst: a tenth, and
	// at least 10 units or a quarter of the quota, whichever is less. Other values allow at least one unit. More than 1
	// is 1. Negative or NaN: no burst, even spacing. A burst reduces the remaining quota, so the interval grows, and
	// fewer units go: of a quota of 1000 a Burst of 0.1 lets 97 go at once, and 0.5 lets 399.
	Burst float64
	// Jitter is the part of an interval by which a slot is moved, earlier or later. 0 is DefaultJitter. Negative or
	// NaN: none. More than 1 is 1.
	Jitter float64
	// MaxRate is the fastest pace of reported limits, in requests per second. It does not bound the rate of a trial,
	// and does not apply while no limit gives a pace. 0, less or NaN: no bound.
	MaxRate float64
	// Measured makes the burst the whole quota, whatever Burst is. The quota acts as a leaky bucket that meters the
	// client's requests: they go at once while it has room. The pace falls with it, so about 63 % of it goes at once.
	Measured bool
	// Chance draws uniform random numbers in [0, 1) for jitter and for coming back after a hold. Use rand.Float64 for a
	// client, and a seeded generator for a simulation. nil always draws one half. Chance must be safe for concurrent
	// use if several partitions with this Config are used concurrently.
	Chance func() float64
}

// burst returns how many units of a quota may be sent at once.
func (c *Config) burst(quota float64) float64 {
	switch {
	case c.Measured:
		return quota
	case c.Burst == 0, c.Burst == DefaultBurst:
		return max(1, DefaultBurst*quota, min(10, quota/4))
	case c.Burst > 0:
		return max(1, min(c.Burst, 1)*quota)
	}
	return 0
}

func (c *Config) chance() float64 {
	if c.Chance == nil {
		return 0.5
	}
	return c.Chance()
}

// jitter returns a factor for the next interval.
func (c *Config) jitter() float64 {
	part := 0.0
	switch {
	case c.Jitter > 0:
		part = min(c.Jitter, 1)
	case c.Jitter == 0:
		part = DefaultJitter
	}
	return 1 + part*(2*c.chance()-1)
}
