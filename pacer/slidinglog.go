package pacer

// A slidingLog is the candidate for a limit that gives each unit back one window after it was used.
//
// An example with q = 60 and w = 60 s: 30 units were sent at once at the beginning. Then 30 more may go
// within the minute, one every 2 s. At a faster pace none would be there before the first ones come back.
// From then on the server allows as many at once as have come back. This client's pace is at most 2 q/w.
type slidingLog struct{ *account }

func (g slidingLog) forecast(r *reading) (f forecast, excluded bool) {
	kept := g.past()
	counted := float64(kept.counted)
	own, others := counted+float64(r.own)-r.recent, g.othersBack(kept, r.passed) // units that have come back
	alone := float64(g.remaining-r.own) + own + others
	expected := alone - r.others*r.passed
	quota := float64(g.quota)
	return forecast{
		most:  quota - greater(r.recent-2*g.coarse(), 0),
		alone: alone,
		low:   greater(lesser(expected, quota-r.recent)-0.5, 0),
		high:  greater(expected+0.5, 0),
	}, false
}

// othersBack returns how many units of other clients come back within so many nanoseconds after the last
// reading, assuming even use.
func (g slidingLog) othersBack(kept *past, passed float64) float64 {
	before := greater(float64(g.quota-g.remaining)-float64(kept.counted), 0)
	return before * lesser(passed/float64(max(g.window, 1)), 1)
}

// coarse returns the error in units that have come back, because slots are coarse.
func (g slidingLog) coarse() float64 {
	h := &g.past().history
	return float64(h.at(h.newest + 1))
}

// pace returns the fastest pace at which the log does not run dry before units come back.
func (g slidingLog) pace(m moment, _ float64) float64 {
	window := float64(max(g.window, 1))
	there := g.stock(m)
	others := max(float64(g.quota)-there-g.past().history.within(m.now, g.window), 0) / window
	fastest := catchUp * g.refill()
	for begins, units := range g.past().history.all() {
		until := begins.Add(g.window).Sub(m.now)
		if there >= 1 && until > 0 { // less than one unit is a matter of opens
			fastest = min(fastest, there/float64(until)+others)
		}
		if until > -g.past().history.width {
			there += units
		}
	}
	return m.share * min(fastest, there/window+others)
}

// stock returns the remaining quota, assuming that own and other units have come back since the last reading
// and that other clients go on to use their share.
func (g slidingLog) stock(m moment) float64 {
	kept, passed := g.past(), float64(max(m.now.Sub(g.at), 0))
	back := float64(kept.counted) + float64(g.units-g.mark) - kept.history.within(m.now, g.window)
	use := (1 - m.share) * float64(g.quota) * min(passed/float64(max(g.window, 1)), 1)
	return min(max(float64(g.remaining-(g.units-g.mark))+back+g.othersBack(kept, passed)-use, 0), float64(g.quota))
}

func (g slidingLog) opens(m moment, need int64) Instant {
	end, width := g.at.Add(g.window), g.past().history.width
	left := g.stock(m)
	if m.now >= end || left >= float64(need) { // by the end all units have come back, and other clients' use is unknown
		return 0
	}
	for begins, units := range g.past().history.all() {
		back := begins.Add(width).Add(g.window)
		if back > m.now {
			left += units
		}
		if left >= float64(need) {
			return min(back, end)
		}
	}
	return end
}
