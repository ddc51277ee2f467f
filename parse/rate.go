package parse

import (
	"math"
	"time"
)

// readRate reads how many units a token bucket gains per interval: a number above 0.
func readRate(value string) (decimal, fault) {
	d, f := readDecimal(value)
	if f.err == nil && (d.negative || d.whole == 0 && d.billions == 0) {
		f = fault{0, ErrRange}
	}
	return d, f
}

// smaller returns the smaller one of two non-negative numbers.
func (d decimal) smaller(e decimal) decimal {
	if d.whole < e.whole || d.whole == e.whole && d.billions < e.billions {
		return d
	}
	return e
}

func (d decimal) float() float64 { return float64(d.whole) + float64(d.billions)/1e9 }

// perWindow converts a rate per second into a whole quota per window. Amazon's 0.0451 requests per second
// are 1 request per 22.17 s.
func (d decimal) perWindow() (quota int64, window time.Duration) {
	quota = int64(math.Round(min(max(d.float(), 1), math.MaxInt32)))
	return quota, seconds(float64(quota) / d.float())
}

// setRefillWindow sets Window to the time in which the whole quota refills. rate is the number of units
// that come back in each Window that was sent, else in each second. Jira Data Center sends 10 tokens per
// 60 s and a bucket of 50: Window becomes 300 s. Spring Cloud Gateway sends tokens per second.
func (c *Counts) setRefillWindow(rate decimal) {
	if c.Limit <= 0 {
		return
	}
	interval := time.Second
	if c.Window > 0 {
		interval = c.Window
	}
	c.Window = seconds(interval.Seconds() * float64(c.Limit) / rate.float())
}

// divideByCost converts a quota in tokens into a quota in requests, if each request costs several tokens.
// With Spring Cloud Gateway, 60 tokens per request are the way to configure less than one request per
// second.
func (c *Counts) divideByCost(cost int64) {
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

// seconds converts a number of seconds. The result saturates and is at least a nanosecond.
func seconds(s float64) time.Duration {
	if s >= math.MaxInt64/float64(time.Second) {
		return math.MaxInt64
	}
	return max(time.Duration(s*float64(time.Second)), 1)
}
