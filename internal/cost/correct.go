package cost

import (
	"time"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/pacer"
)

// rounding is more than what the pacer rounds ReportedAt by.
const rounding = time.Microsecond

// A Progress says what has happened to the limits in each unit since a response.
type Progress struct {
	open  map[limits.Unit]bool // a limit whose remaining quota has not been reported since
	ended map[limits.Unit]bool // a limit whose window has ended since
}

// NewProgress returns the Progress of the limits from since, when the response came, to now.
func NewProgress(now, since pacer.Instant, all []pacer.LimitState) Progress {
	pr := Progress{make(map[limits.Unit]bool), make(map[limits.Unit]bool)}
	for _, l := range all {
		if l.Remaining == limits.Unknown || l.ReportedAt.Add(rounding) < since {
			pr.open[l.Unit] = true
		}
		if begun := now.Add(-l.Window); l.Window > 0 && (begun > since || !l.Refills && l.LatestEnd > 0 && l.LatestEnd.Add(-l.Window) > since) {
			pr.ended[l.Unit] = true
		}
	}
	return pr
}

// Correct returns what a request is to be charged in place of the cost that was reserved, now that its real costs are
// known. reserved.Others is in the order of units. A unit is not charged if the remaining quotas of its limits have been
// reported since the response: these numbers settle the cost. Nothing is given back of a window that has ended: the units
// would come out of the next one, to which other requests belong. isWrong is false if nothing has to change.
func Correct(reserved *pacer.Cost, units []limits.Unit, costs map[limits.Unit]int64, since Progress) (c pacer.Cost, isWrong bool) {
	charge := func(unit limits.Unit, reserved int64) int64 {
		n, isKnown := costs[unit]
		switch {
		case !since.open[unit]:
			return 0
		case isKnown && since.ended[unit] && (reserved < 0 || n <= reserved):
			return reserved
		case isKnown && n >= 0:
			isWrong = true
			return min(n, pacer.MostCost)
		}
		return reserved
	}
	c = *reserved
	c.Requests, c.Others = charge(limits.Requests, reserved.Requests), new([pacer.MaxOthers]int64)
	for i, unit := range units {
		n := int64(0) // no limit in this unit was known
		if reserved.Others != nil {
			n = reserved.Others[i]
		}
		c.Others[i] = charge(unit, n)
	}
	return c, isWrong
}
