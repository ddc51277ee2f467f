package pacer

import "time"

// recent counts the units sent within the last window, in slots rather than one
// by one, so that its size does not grow with the quota.
type recent struct {
	slots  [recentSlots]uint32
	newest int64 // number of the newest slot, counted in slot widths from the origin
}

const recentSlots = 16

func (r *recent) add(now Instant, window time.Duration, n int64) {
	r.advance(now, window)
	r.slots[r.newest%recentSlots] += uint32(min(n, 1<<20))
}

func (r *recent) sum(now Instant, window time.Duration) int64 {
	r.advance(now, window)
	var n int64
	for _, s := range r.slots {
		n += int64(s)
	}
	return n
}

func (r *recent) advance(now Instant, window time.Duration) {
	width := max(int64(window)/recentSlots, 1)
	slot := max(int64(now)/width, r.newest)
	for range min(slot-r.newest, recentSlots) {
		r.newest++
		r.slots[r.newest%recentSlots] = 0
	}
	r.newest = slot
}
