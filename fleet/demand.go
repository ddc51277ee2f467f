package fleet

import (
	"math"
	"time"

	"github.com/headway-go/headway"
)

// rateOver is the time over which a member's rate is averaged.
const rateOver = 10 * time.Second

// A demand is what one member needs of one limit, as far as what it sent tells.
type demand struct {
	sent int64
	at   time.Time
	rate float64 // units per second, an exponential average
}

// observe takes in how many units have been sent until now, all in all.
func (d *demand) observe(sent int64, now time.Time) {
	passed := now.Sub(d.at).Seconds()
	if !d.at.IsZero() && passed > 0 {
		fresh := -math.Expm1(-passed / rateOver.Seconds())
		d.rate += fresh * (float64(max(sent-d.sent, 0))/passed - d.rate)
	}
	d.sent, d.at = sent, now
}

// within is how many units it needs in that time, and a few more, as requests do not come
// evenly.
func (d *demand) within(t time.Duration) float64 {
	mean := d.rate * max(t.Seconds(), 0)
	return min(mean+math.Sqrt(mean), mostUnits)
}

// usage is what a member tells of a limit.
func (d *demand) usage(l *headway.LimitUsage, waiting int, now time.Time, c *clock) usage {
	d.observe(l.Sent, now)
	u := usage{
		ID: l.ID, Quota: min(l.Quota, mostUnits), Window: min(max(l.Window.Milliseconds(), 1), mostTime), Ends: c.there(l.Ends),
		Used: clip(l.Used), Units: clip(l.Units), Next: clip(l.Next), Share: min(max(l.Share, 0), 1),
		Refills: l.Refills, Busy: waiting > 0, Each: d.within(l.Window),
		Remaining: min(l.Remaining, mostUnits), Told: c.there(l.Told), Held: c.there(l.HeldUntil),
	}
	if l.Ends.After(now) {
		u.Rest = d.within(l.Ends.Sub(now))
	}
	return u
}

func clip(n int64) int64 { return min(max(n, 0), mostUnits) }
