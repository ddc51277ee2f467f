package parse

import (
	"math"
	"time"
)

// readRate reads how many units come back in an interval: a number above 0.
func readRate(value string) (decimal, fault) {
	d, f := readDecimal(value)
	if f.err == nil && (d.negative || d.whole == 0 && d.billions == 0) {
		f = fault{0, ErrRange}
	}
	return d, f
}

// less returns the smaller one of two that are not negative.
func (d decimal) less(e decimal) decimal {
	if d.whole < e.whole || d.whole == e.whole && d.billions < e.billions {
		return d
	}
	return e
}

func (d decimal) float() float64 { return float64(d.whole) + float64(d.billions)/1e9 }

// perWindow turns so many units per second, fractions of one included, into a whole
// quota per window: Amazon's 0.0451 is one in 22.17 s.
func (d decimal) perWindow() (quota int64, window time.Duration) {
	quota = int64(math.Round(min(max(d.float(), 1), math.MaxInt32)))
	return quota, seconds(float64(quota) / d.float())
}

// refilledBy takes in that so many units come back per window told, or per second: then
// the window of the whole quota is as long as that takes. (Jira Data Center tells 10
// tokens per 60 s besides a bucket of 50, Spring Cloud Gateway tokens per second.)
func (c *Counts) refilledBy(rate decimal) {
	if c.Limit <= 0 {
		return
	}
	interval := time.Second
	if c.Window > 0 {
		interval = c.Window
	}
	c.Window = seconds(interval.Seconds() * float64(c.Limit) / rate.float())
}

// inRequests takes in what each request costs: then as many requests are meant as that
// makes. (With Spring Cloud Gateway 60 tokens per request are the way to limit requests
// to less than one per second.)
func (c *Counts) inRequests(cost int64) {
	if cost <= 1 {
		return
	}
	if c.Limit > 0 {
		c.Limit = max(c.Limit/cost, 1)
	}
	if c.HasRemaining && c.Remaining > 0 {
		c.Remaining /= cost
	}
}

// seconds returns so many seconds, saturated, and at least a nanosecond.
func seconds(s float64) time.Duration {
	if s >= math.MaxInt64/float64(time.Second) {
		return math.MaxInt64
	}
	return max(time.Duration(s*float64(time.Second)), 1)
}
