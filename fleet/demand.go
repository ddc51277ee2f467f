package fleet

import (
	"math"
	"time"

	"github.com/headway-go/headway/fleet/internal/store"
	"github.com/headway-go/headway/limits"
)

// rateOver is the time constant of the average of a member's rate.
const rateOver = 20 * time.Second

// A demand estimates how much one member needs of one limit, from the units that it has sent.
type demand struct {
	sent  int64
	begun time.Time
	at    time.Time
	rate  float64 // units per second, an exponential average that starts from 0

	each, total claimed
	strain      strain
}

// observe updates the average. sent is the total of units sent so far.
func (d *demand) observe(sent int64, now time.Time) {
	if d.begun.IsZero() {
		d.begun, d.at = now, now
	}
	if passed := now.Sub(d.at); passed > 0 {
		d.rate += weight(passed) * (float64(max(sent-d.sent, 0))/passed.Seconds() - d.rate)
	}
	d.sent, d.at = sent, now
}

// mean returns the number of units that the member needs on average in time t.
func (d *demand) mean(t time.Duration) float64 {
	rate := d.rate
	if long := d.at.Sub(d.begun); long > 0 {
		rate /= weight(long) // corrects for the start from 0
	}
	return min(rate*max(t.Seconds(), 0), mostUnits)
}

// weight returns the weight in the average of the last long.
func weight(long time.Duration) float64 { return -math.Expm1(-long.Seconds() / rateOver.Seconds()) }

// A claimed need changes only if it becomes too small or far too large. Otherwise each request would move the
// parts of all members.
type claimed float64

// update returns the need beyond sent. mean is the number of further units expected. The claim exceeds it by 1.5
// standard deviations, as requests do not come evenly.
func (c *claimed) update(sent, mean float64) float64 {
	spread := math.Sqrt(mean)
	if total := float64(*c); total < sent+mean || total > sent+mean+3*spread+0.5 {
		*c = claimed(sent + mean + 1.5*spread)
	}
	return float64(*c) - sent
}

// usage returns the member's report on a limit, but for its name and the part that the member uses now.
func (d *demand) usage(l *limits.Use, now time.Time, c *clock) usage {
	d.observe(l.Sent, now)
	d.strain.observe(l.Waiting > 0, now)
	u := usage{
		Quota: min(l.Quota, mostUnits), Window: min(max(l.Window.Milliseconds(), 1), store.MostTime), Ends: c.after(now, l.Ends),
		Reset: min(max(l.Reset.Milliseconds(), 0), store.MostTime),
		Used:  clip(l.Used), Refills: l.Refills, Busy: d.strain.busy(),
		Each:      within(d.each.update(0, d.mean(l.Window))+float64(l.Waiting), mostUnits),
		Remaining: min(l.Remaining, mostUnits), Reported: c.toStore(now.Add(-l.Age)), Held: c.after(now, l.Held),
	}
	if l.Ends > 0 {
		u.Rest = within(d.total.update(float64(l.Sent), d.mean(l.Ends))+float64(l.Waiting), mostUnits)
	}
	return u
}

// within returns x, limited to [0, most]. NaN becomes 0, as JSON cannot represent it.
func within(x, most float64) float64 {
	if x > 0 {
		return min(x, most)
	}
	return 0
}

func clip(n int64) int64 { return min(max(n, 0), mostUnits) }

// busyOver is the time constant of the average of a member's strain.
const busyOver = 2 * time.Second

// A strain is the part of the time in which requests that use a limit wait, in [0, 1]. A member that needs
// little has waiting requests now and then, when several come at once. If that made it claim the whole quota,
// it would take units from others without need.
type strain struct {
	part float64
	at   time.Time
}

// observe updates the average with whether requests wait now.
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

// busy reports whether requests wait most of the time.
func (s *strain) busy() bool { return s.part > 0.5 }
