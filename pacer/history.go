package pacer

import (
	"iter"
	"math"
	"time"
)

// historySlots is the number of slots for own units, two of them spare. Double: 64 bytes more for each limit.
// Half: a log's returns are known only to a fourteenth of its window.
const historySlots = 32

// A history counts own units of the last window in slots, so its size does not grow with the quota.
//
// An example with a window of 60 s: a slot is 2 s wide, and three units sent at 5 s are in the slot that
// begins at 4 s. A sliding log gives them back between 64 s and 66 s. At 65 s half of them count.
type history struct {
	slots  [historySlots]uint16 // counts, at most 65,535
	total  int64                // of all slots
	newest int64                // number of the newest slot, in slot widths from the origin
	width  time.Duration        // of a slot
}

// add counts n units that are sent now. A clock that goes backwards renumbers the slots and keeps their
// counts.
func (h *history) add(now Instant, window time.Duration, n int64) {
	width := max(window/(historySlots-2), 1)
	if width != h.width {
		h.rescale(now, width)
	}
	if since := now.Sub(h.begins(h.newest)); since < 0 || since >= width { // the condition avoids a slow division
		newest := max(int64(now)/int64(width), 0)
		for range min(newest-h.newest, historySlots) {
			h.newest++
			h.set(h.newest, 0)
		}
		h.newest = newest
	}
	h.set(h.newest, int64(h.at(h.newest))+n)
}

// rescale changes the width of slots.
func (h *history) rescale(now Instant, width time.Duration) {
	before := *h
	*h = history{width: width, newest: max(int64(now)/int64(width), 0)}
	for begins, units := range before.all() {
		if i := min(int64(begins)/int64(width), h.newest); i >= h.oldest() {
			h.set(i, int64(h.at(i))+int64(units))
		}
	}
}

// at returns how many units were sent in a slot.
func (h *history) at(slot int64) uint16 { return h.slots[uint64(slot)%historySlots] }

func (h *history) set(slot, n int64) {
	units := uint16(min(max(n, 0), math.MaxUint16))
	h.total += int64(units) - int64(h.at(slot))
	h.slots[uint64(slot)%historySlots] = units
}

// oldest returns the number of the oldest slot.
func (h *history) oldest() int64 { return max(h.newest-historySlots+1, 0) }

// begins returns when a slot begins.
func (h *history) begins(slot int64) Instant { return Instant(slot * int64(h.width)) }

// all yields the beginning and the units of each slot that is not empty, the oldest first.
func (h *history) all() iter.Seq2[Instant, float64] {
	return func(yield func(Instant, float64) bool) {
		for i := h.oldest(); i <= h.newest; i++ {
			if n := h.at(i); n > 0 && !yield(h.begins(i), float64(n)) {
				return
			}
		}
	}
}

// within returns how many units were sent in the window before now. A slot at the edge counts in part.
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
