package pacer

// This file learns how long the quota of a window lasts if other clients take it all at once.

const (
	hasteProof = 2    // windows in a row whose quota is used up early. Fewer: a client that joins looks like haste
	hasteLate  = 0.6  // of a window: quota that is used up later is not used up early
	hasteEases = 1.25 // factor by which the quota is expected to last longer in each window. More: comes too late again. Less: hurries in vain
	hasteBlind = 4    // times sooner than seen by a client that found no quota left. Less: it never gets any
)

// A haste belongs to one limit. Beside clients that hurry, a client that spread its share over the whole window
// would get next to none of it, and a refusal for nearly every request. So it spreads its share over the time that
// the quota lasts. In each window it expects the quota to last a little longer, so that clients which only hurry
// each other calm down.
//
// An example with q = 60 and w = 60 s: in two windows in a row the quota is used up after 6 s. Then the pace
// of all clients together is about 10 per second in the next window instead of 1, and less in each later one.
type haste struct {
	part  float32 // part of a window that its quota lasts; 0 stands for 1
	early uint8   // windows in a row whose quota was used up early
	open  bool    // the beginning of this window was seen, and its quota is not used up
}

// lasts returns the part of a window that its quota is expected to last.
func (h *haste) lasts() float64 {
	if h.part == 0 {
		return 1
	}
	return float64(h.part) / hasteEases
}

// next begins a window.
func (h *haste) next() {
	if h.open {
		h.early = 0
	}
	if h.open = true; h.part > 0 {
		if h.part *= hasteEases; h.part >= 1 {
			h.part, h.early = 0, 0
		}
	}
}

// usedUp records that the quota lasted for that part of the window. mine: this client used most of it. blind:
// this client came late and found no quota, so it knows only an upper bound.
func (h *haste) usedUp(part float64, mine, blind bool) {
	if !h.open {
		return
	}
	h.open = false
	if mine || part > hasteLate {
		if !blind {
			h.early = 0
		}
		return
	}
	if h.early++; h.early < hasteProof {
		return
	}
	if blind {
		part /= hasteBlind
	}
	h.part = float32(max(min(part, h.lasts()), windowLeast))
}
