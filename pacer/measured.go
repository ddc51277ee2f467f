package pacer

import (
	"math"
	"time"
)

// With Config.Measured a client is not given even slots: it is measured how much it
// sends, as an average that is exponential, and a request goes at once as long as that
// stays below what the limit allows. So bursts are not spread while they are far from
// the limit; near it requests wait until the average has fallen. Of such a limit base
// is the time of the last request and owed the units per window measured then.

// Where less is left than a part of the quota and so many units, or others seem to use
// more of it than this client, the pace is even.
const (
	measuredReserve = 0.15
	measuredLeast   = 3
	measuredShare   = 0.3
)

// measuredSlot is when the average, which falls by the factor e in a window, leaves
// room for one more of the units that the pace allows in a window. Where others use
// the quota too, or little is left, the next slot is an even one.
func (l *limit) measuredSlot(now Instant, gap time.Duration) Instant {
	room := float64(l.window)/float64(gap) - 1
	if !l.refills() {
		room = (room+1)/l.share.of() - 1 // it is all this client's, see plenty
	}
	switch {
	case room < 1, !l.plenty(now):
		return l.arrival.line.Add(gap)
	case float64(l.arrival.owed) <= room:
		return l.arrival.line
	}
	return l.arrival.line.Add(scale(l.window, math.Log(float64(l.arrival.owed)/room)))
}

// plenty reports whether there is enough for a burst, and it is this client's.
func (l *limit) plenty(now Instant) bool {
	if l.remaining == Unknown || l.share.of() < measuredShare {
		return false
	}
	return l.candidate(now).stock(max(min(now, l.arrival.line), l.at), l.portion(now)) >= measuredLeast+measuredReserve*float64(l.quota)
}

// average takes a request of that cost into the average.
func (l *limit) average(now Instant, cost int64) {
	windows := float64(max(now.Sub(l.arrival.line), 0)) / float64(max(l.window, 1))
	l.arrival.owed = float32(float64(l.arrival.owed)*math.Exp(-windows)) + float32(cost)
	l.arrival.line = max(l.arrival.line, now)
}
