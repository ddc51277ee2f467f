package debug

import (
	"cmp"
	"math"
	"strconv"
	"time"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/limits"
)

// A limitRow has the page's texts on a limit. Unknown values are empty.
type limitRow struct {
	Policy, Key string

	Left string // what remains of the quota, in words
	Bar  *bar   // the same as a bar

	Window, Ends, Rate, Share string
	Held, Reported            string
	Refills                   bool
}

// A bar shows what remains of a quota. It is low if less than a tenth remains.
type bar struct {
	Percent string
	Low     bool
}

// newLimitRow returns the row of a limit. members is the number of fleet members that share the partition.
func newLimitRow(now time.Time, l *headway.LimitState, members int) limitRow {
	r := limitRow{
		Policy: visible(l.Policy), Key: visible(l.PartitionKey),
		Left: left(l), Bar: newBar(l), Refills: l.Refills, Reported: "never reported",
	}
	if l.Window > 0 {
		r.Window = "per " + span(l.Window)
	}
	if l.LatestEnd.After(now) && !l.Refills {
		r.Ends = "ends within " + about(l.LatestEnd.Sub(now))
	}
	if rate := finite(l.Rate); rate > 0 {
		r.Rate = perTime(rate, rate)
	}
	switch {
	case l.Agreed && members > 0:
		r.Share = "share " + percent(l.Share) + ", exact part among " + count(int64(members))
	case l.Share > 0 && l.Share < 1:
		r.Share = "share " + percent(l.Share)
	}
	if l.HeldUntil.After(now) {
		r.Held = "held until " + clockTime(now, moment(l.HeldUntil)) + ", in " + about(l.HeldUntil.Sub(now))
	}
	if !l.ReportedAt.IsZero() {
		r.Reported = "reported " + about(now.Sub(l.ReportedAt)) + " ago"
	}
	return r
}

func left(l *headway.LimitState) string {
	unit := visible(string(cmp.Or(l.Unit, limits.Requests)))
	switch {
	case l.Quota >= 0 && l.Remaining >= 0:
		return count(l.Remaining) + " of " + count(l.Quota) + " " + unit
	case l.Remaining >= 0:
		return count(l.Remaining) + " " + unit
	case l.Quota >= 0:
		return "of " + count(l.Quota) + " " + unit
	}
	return unit
}

func newBar(l *headway.LimitState) *bar {
	if l.Quota <= 0 || l.Remaining < 0 {
		return nil
	}
	part := min(1, float64(l.Remaining)/float64(l.Quota))
	return &bar{Percent: strconv.FormatFloat(part*100, 'f', 1, 64), Low: part < 0.1}
}

func percent(share float64) string {
	return strconv.FormatFloat(max(1, math.Round(share*100)), 'f', 0, 64) + " %"
}
