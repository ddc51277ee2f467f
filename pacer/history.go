package pacer

import (
	"iter"
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
	total  int64                // of all slots
	newest int64                // number of the newest slot, in slot widths from the origin
	width  time.Duration        // of a slot
}

// add counts n units that are sent now. A clock that goes backwards renumbers the slots and leaves their counts.
func (h *history) add(now Instant, window time.Duration, n int64) {
	width := max(window/(historySlots-2), 1)
	if width != h.width {
		h.rescale(now, width)
	}
	if since := now.Sub(h.begins(h.newest)); since < 0 || since >= width { // dividing takes long
		newest := max(int64(now)/int64(width), 0)
		for range min(newest-h.newest, historySlots) {
			h.newest++
			h.set(h.newest, 0)
		}
		h.newest = newest
	}
	h.set(h.newest, int64(h.at(h.newest))+n)
}

// rescale counts in slots of another width.
func (h *history) rescale(now Instant, width time.Duration) {
	before := *h
	*h = history{width: width, newest: max(int64(now)/int64(width), 0)}
	for begins, units := range before.all() {
		if i := min(int64(begins)/int64(width), h.newest); i >= h.oldest() {
			h.set(i, int64(h.at(i))+int64(units))
		}
	}
}

// at is how many units were sent in a slot.
func (h *history) at(slot int64) uint16 { return h.slots[uint64(slot)%historySlots] }

func (h *history) set(slot, n int64) {
	units := uint16(min(max(n, 0), math.MaxUint16))
	h.total += int64(units) - int64(h.at(slot))
	h.slots[uint64(slot)%historySlots] = units
}

// oldest is the number of the oldest slot that is kept.
func (h *history) oldest() int64 { return max(h.newest-historySlots+1, 0) }

// begins is when a slot does.
func (h *history) begins(slot int64) Instant { return Instant(slot * int64(h.width)) }

// all yields when each slot begins in which something was sent, and how many units; the oldest first.
func (h *history) all() iter.Seq2[Instant, float64] {
	return func(yield func(Instant, float64) bool) {
		for i := h.oldest(); i <= h.newest; i++ {
			if n := h.at(i); n > 0 && !yield(h.begins(i), float64(n)) {
				return
			}
		}
	}
}

// within is how many units were sent within the window before now. Of a slot that has
// left it in part, the rest counts.
func (h *history) within(now Instant, window time.Duration) float64 {
	edge, n := now.Add(-window), float64(h.total)
	for i := h.oldest(); i <= h.newest && h.begins(i) < edge; i++ {
		units := float64(h.at(i))
		if gone := edge.Sub(h.begins(i)); gone < h.width {
			units *= float64(gone) / float64(h.width)
		}
		n -= units
	}
	return n
}
