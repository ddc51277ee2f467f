package pacer

import "time"

// floor is the time before which this limit lets no request of that cost go:
// its window is used up, or too little has come back.
func (l *limit) floor(now Instant, cost int64, slack time.Duration) Instant {
	if l.remaining == Unknown || cost <= 0 {
		return 0
	}
	need := min(cost, max(l.quota, 1))
	if l.refills() {
		if l.asks() {
			return l.end.hi
		}
		return l.refillFloor(now, need)
	}
	left := l.left()
	if l.part() != nil {
		return l.partFloor(need, slack)
	}
	// One request per window is everybody's, however small the share.
	if l.asks() || !l.end.known() || left >= need && (l.suffices(left) || l.units == l.began) {
		return 0
	}
	return l.opens(slack)
}

// suffices reports whether so much is left of a window that a unit of it is this
// client's. It goes by the share that was measured: if all went by what theirs is to
// grow to, several would race for the last units.
func (l *limit) suffices(left int64) bool { return float64(left)*l.share.measured() >= 1 }

// opens is when a client that has waited for the window's end enters the next
// one: at some point of the first interval, so that clients of one quota, and
// the windows of one client, do not begin with a burst.
func (l *limit) opens(slack time.Duration) Instant {
	return l.end.hi.Add(slack).Add(scale(l.entrance(), float64(l.entry)/entryParts*(1-l.mine())))
}

func (l *limit) refillFloor(now Instant, need int64) Instant {
	if need <= 1 {
		return 0 // the pace sees to it
	}
	short := float64(need) - l.level(now)
	if short <= 0 {
		return 0
	}
	return now.Add(interval(l.nominal() / l.refill.slowdown() / short))
}
