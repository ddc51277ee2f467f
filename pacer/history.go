package pacer

import (
	"math"
	"time"
)

// historySlots is how many slots own requests are remembered in, two of them to spare:
// twice as many double the memory of a limit, half as many make a log's returns as
// coarse as a fourteenth of its window.
const historySlots = 32

// A history counts the units that were sent within the last window, in slots rather
// than one by one, so that its size does not grow with the quota.
//
// With a window of 60 s a slot is 2 s wide. Three units sent at 5 s are in the slot that
// begins at 4 s. A sliding log gives them back from 64 s to 66 s: at 65 s half of them
// count.
type history struct {
	slots  [historySlots]uint16 // saturating
	newest int64                // number of the newest slot, in slot widths from the origin
	width  int64                // of a slot, in nanoseconds
}

// add counts n units that are sent now. A clock that goes backwards, or a window that
// changes, renumbers the slots and leaves their counts.
func (h *history) add(now Instant, window time.Duration, n int64) {
	h.width = max(int64(window)/(historySlots-2), 1)
	newest := max(int64(now)/h.width, 0)
	for range min(newest-h.newest, historySlots) {
		h.newest++
		h.slots[h.newest%historySlots] = 0
	}
	h.newest = newest
	slot := &h.slots[h.newest%historySlots]
	*slot = uint16(min(max(int64(*slot)+n, 0), math.MaxUint16))
}

// oldest is the number of the oldest slot that is kept.
func (h *history) oldest() int64 { return max(h.newest-historySlots+1, 0) }

// within is how many units were sent within the window before now. Of a slot that has
// left it in part, the rest counts.
func (h *history) within(now Instant, window time.Duration) (n float64) {
	width, edge := max(h.width, 1), int64(now)-int64(window)
	for i := max(h.oldest(), edge/width); i <= h.newest; i++ {
		units := float64(h.slots[i%historySlots])
		if begin := i * width; begin < edge {
			units *= 1 - float64(edge-begin)/float64(width)
		}
		n += max(units, 0)
	}
	return n
}
