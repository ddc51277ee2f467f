package pacer

const (
	hasteProof = 2    // windows in a row whose quota is used up early: one may be that somebody joins
	hasteLate  = 0.6  // of a window: what is used up later is not early
	hasteEases = 1.25 // by which a quota is expected to last longer in each window: more comes too late again, less rushes on for nothing
	hasteBlind = 4    // by how much sooner who found nothing left expects it to be used up: less never gets there
)

// A haste is how soon the quota of a window is used up where others take at once all there is. A client
// that spread its share over the whole window would get next to nothing of it, and a
// refusal for nearly every request. So it spreads it over the time that the quota lasts, and expects it
// to last a little longer in every window, so that clients that only rush each other come to rest.
//
// Say q = 60, w = 60 s, and in two windows in a row nothing is left after 6 s. Then the pace of all
// together is about 10 instead of 1 per second in the next window, and less in each one after.
type haste struct {
	part  float32 // of a window that its quota lasts; 0 stands for 1
	early uint8   // windows in a row whose quota was used up early
	open  bool    // this window was seen to begin, and its quota not to be used up
}

// lasts is the part of a window that its quota is expected to last.
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

// usedUp takes in that a quota lasted for that part of its window, which this client used most of or
// not. One that came blindly, to find it used up, knows only that it did not last longer.
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
