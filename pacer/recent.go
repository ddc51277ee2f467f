package pacer

import (
	"math"
	"slices"
	"time"
)

const recentSlots = 16

// recent counts the units sent within the last window in slots rather than one
// by one, so that its size does not grow with the quota.
type recent struct {
	slots  [recentSlots]uint16 // saturating: only whether there were few or many matters
	newest int64               // number of the newest slot, in slot widths from the origin
}

func (r *recent) add(now Instant, window time.Duration, n int64) {
	r.advance(now, window)
	slot := &r.slots[r.newest%recentSlots]
	*slot = uint16(min(int64(*slot)+n, math.MaxUint16))
}

func (r *recent) sum(now Instant, window time.Duration) int64 {
	r.advance(now, window)
	var n int64
	for _, s := range r.slots {
		n += int64(s)
	}
	return n
}

// saturated reports whether there may have been more than is counted.
func (r *recent) saturated() bool { return slices.Contains(r.slots[:], math.MaxUint16) }

// advance empties the slots that now are older than a window. A clock that goes
// backwards, or a window that grows, renumbers them and leaves their counts.
func (r *recent) advance(now Instant, window time.Duration) {
	width := max(int64(window)/recentSlots, 1)
	slot := max(int64(now)/width, 0)
	for range min(slot-r.newest, recentSlots) {
		r.newest++
		r.slots[r.newest%recentSlots] = 0
	}
	r.newest = slot
}
