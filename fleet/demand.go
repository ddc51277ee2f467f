package fleet

import (
	"math"
	"time"

	"github.com/headway-go/headway/internal/share"
)

// rateOver is the time over which a member's rate is averaged.
const rateOver = 20 * time.Second

// A demand is what one member needs of one limit, as far as what it sent tells.
type demand struct {
	sent  int64
	begun time.Time
	at    time.Time
	rate  float64 // units per second, an exponential average of what was since it began, and of nothing before

	each, total claimed
	strain      strain
}

// observe takes in how many units have been sent until now, all in all.
func (d *demand) observe(sent int64, now time.Time) {
	if d.begun.IsZero() {
		d.begun, d.at = now, now
	}
	if passed := now.Sub(d.at); passed > 0 {
		d.rate += fresh(passed) * (float64(max(sent-d.sent, 0))/passed.Seconds() - d.rate)
	}
	d.sent, d.at = sent, now
}

// mean is how many units it needs on average in that time.
func (d *demand) mean(t time.Duration) float64 {
	rate := d.rate
	if long := d.at.Sub(d.begun); long > 0 {
		rate /= fresh(long) // the rest is of before it began
	}
	return min(rate*max(t.Seconds(), 0), mostUnits)
}

// fresh is the part of the average that is of so long ago or less.
func fresh(long time.Duration) float64 { return -math.Expm1(-long.Seconds() / rateOver.Seconds()) }

// A claimed need is kept as long as it is neither too little nor much too much: others'
// parts would move with each request otherwise.
type claimed float64

// of returns the claim where so many units were sent and as many more are expected. Requests do
// not come evenly, so it is for a few more.
func (c *claimed) of(sent, mean float64) float64 {
	spread := math.Sqrt(mean)
	if total := float64(*c); total < sent+mean || total > sent+mean+3*spread+0.5 {
		*c = claimed(sent + mean + 1.5*spread)
	}
	return float64(*c) - sent
}

// usage is what a member tells of a limit.
func (d *demand) usage(l *share.LimitUsage, now time.Time, c *clock) usage {
	d.observe(l.Sent, now)
	d.strain.observe(l.Waiting > 0, now)
	u := usage{
		ID: l.ID, Quota: min(l.Quota, mostUnits), Window: min(max(l.Window.Milliseconds(), 1), mostTime), Ends: c.there(l.Ends),
		Used: clip(l.Used), Units: clip(l.Units), Next: clip(l.Next), Share: within(l.Share, 1),
		Refills: l.Refills, Busy: d.strain.busy(), Each: within(d.each.of(0, d.mean(l.Window))+float64(l.Waiting), mostUnits),
		Remaining: min(l.Remaining, mostUnits), Told: c.there(l.Told), Held: c.there(l.HeldUntil),
	}
	if l.Ends.After(now) {
		u.Rest = within(d.total.of(float64(l.Sent), d.mean(l.Ends.Sub(now)))+float64(l.Waiting), mostUnits)
	}
	return u
}

// within is x in [0, most]; NaN is 0, as it has no form in a record.
func within(x, most float64) float64 {
	if x > 0 {
		return min(x, most)
	}
	return 0
}

func clip(n int64) int64 { return min(max(n, 0), mostUnits) }

// busyOver is the time over which a member must be kept waiting to count as busy.
const busyOver = 2 * time.Second

// A strain is how much of the time requests that use a limit wait, in [0, 1]. Those that need
// little wait now and then because they come together: who claims for them all that there is takes
// it from others for nothing.
type strain struct {
	part float64
	at   time.Time
}

// observe takes in whether requests wait now.
func (s *strain) observe(wait bool, now time.Time) {
	var is float64
	if wait {
		is = 1
	}
	if s.at.IsZero() {
		s.part = is
	} else {
		s.part += -math.Expm1(-now.Sub(s.at).Seconds()/busyOver.Seconds()) * (is - s.part)
	}
	s.at = now
}

// busy reports whether requests wait most of the time, so that as many are sent as can be.
func (s *strain) busy() bool { return s.part > 0.5 }
