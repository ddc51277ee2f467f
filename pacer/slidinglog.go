package pacer

import "time"

// A slidingLog is the candidate for a limit that gives each unit back one window after
// it was used: a sliding log, and about so a sliding counter.
//
// Say q = 60, w = 60 s, and 30 units were sent at once at the beginning. Then 30 more may go
// within the minute, one every 2 s: if they went faster, none would be there before the first
// come back. From then on as many may go at once as have come back.
type slidingLog struct{}

// back is how many units came back since the last reading: own ones, and others' evenly.
func (g slidingLog) back(a *account, r *reading) (own, others float64) {
	before := max(float64(a.quota-a.remaining)-float64(a.counted), 0)
	others = before * min(r.passed(a)/float64(max(a.window, 1)), 1)
	return float64(a.counted) + float64(r.own) - r.recent, others
}

func (g slidingLog) forecast(a *account, r *reading) forecast {
	quota, within := float64(a.quota), r.recent
	own, others := g.back(a, r)
	expected := float64(a.remaining-r.own) + own + others - r.others*r.passed(a)
	coarse := g.coarse(a)
	return forecast{
		most: quota - max(within-2*coarse, 0),
		low:  max(min(expected, quota-within)-0.5, 0), high: max(expected+0.5, 0),
	}
}

// coarse is by how many units what has come back may be wrong, as slots are coarse.
func (slidingLog) coarse(a *account) float64 {
	return float64(a.recent().slots[(a.recent().newest+1)%historySlots])
}

// used is how many units were used since the last reading, as a log accounts for it.
func (g slidingLog) used(a *account, r *reading) float64 {
	own, others := g.back(a, r)
	return float64(a.remaining-r.left) + own + others
}

// left is how many units are there, as own ones have come back since the last reading, and
// others' evenly, and others go on to use their share.
func (slidingLog) left(a *account, now Instant, share float64) float64 {
	back := float64(a.counted) + float64(a.units-a.mark) - a.recent().within(now, a.window)
	before := max(float64(a.quota-a.remaining)-float64(a.counted), 0)
	passed := min(float64(max(now.Sub(a.at), 0))/float64(max(a.window, 1)), 1)
	back += (before - (1-share)*float64(a.quota)) * passed
	return min(max(float64(a.remaining-(a.units-a.mark))+back, 0), float64(a.quota))
}

// pace is the fastest pace for all clients together, in units per nanosecond, at which the
// log never runs dry before what was sent comes back: own units a window after they were
// sent, others' evenly.
func (g slidingLog) pace(a *account, now Instant, share float64) float64 {
	fastest := catchUp * a.refill()
	left := g.left(a, now, share)
	window := float64(max(a.window, 1))
	others := max(float64(a.quota)-left-a.recent().within(now, a.window), 0) / window
	h := a.recent()
	for i := h.oldest(); i <= h.newest; i++ {
		units := float64(h.slots[i%historySlots])
		until := float64(i*h.width + int64(a.window) - int64(now))
		if units == 0 || until+float64(h.width) <= 0 {
			continue
		}
		if left >= 1 && until > 0 { // less is waited for, see opens
			fastest = min(fastest, left/until+others)
		}
		left += units
	}
	return min(fastest, left/window+others)
}

// opens is when so many units are there.
func (g slidingLog) opens(a *account, now Instant, share float64, need int64) Instant {
	h := a.recent()
	left := g.left(a, now, share)
	switch {
	case now >= a.at.Add(a.window):
		return 0 // all that was told of has come back, and what others use now is not known
	case left < float64(need):
	case g.left(a, now.Add(-time.Duration(h.width)), share) < float64(need):
		return now // they have just come back
	default:
		return 0
	}
	for i := h.oldest(); i <= h.newest; i++ {
		units := float64(h.slots[i%historySlots])
		until := float64((i+1)*h.width + int64(a.window) - int64(now))
		if units == 0 || until <= 0 {
			continue
		}
		if left += units; left >= float64(need) {
			return min(now.Add(scale(1, until)), a.at.Add(a.window))
		}
	}
	return a.at.Add(a.window)
}
