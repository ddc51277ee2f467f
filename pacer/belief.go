package pacer

import "math"

// The indices of the candidates.
const (
	asWindow = iota
	asBucket
	asCounter
	asLog
	candidates
)

const (
	beliefFades  = 1.0 / 16 // of a score per reading. More: rare evidence is forgotten. Less: mistakes are corrected late
	beliefLead   = 1.0      // lead in score at which another candidate is believed. Less: flaps. More: late
	roundedUnits = 0.25     // variance of r, which is a whole number
	beliefMost   = 4.0      // upper bound of a score. More: a long-held belief changes late
)

// A belief says which candidate is believed: the one with the least evidence against it.
//
// A score is the evidence against a candidate. An unexpected reading adds up to 1, or 2 if it is off by more than
// half a quota. A reading that the candidate excludes adds 1 more. An example with q = 100 and w = 60 s: 10 units
// were sent in the last 6 s, and r was 90 before and is 90 now. A window excludes that, because r must have fallen
// to 80. A bucket expects it. So the window's score is 1.9, and the bucket is believed.
type belief struct {
	believed uint8 // the scores are in past.against
}

// weigh adds a reading to the scores. It reports whether another candidate is believed now, and whether the
// reading excludes the candidate that was believed before.
func (b *belief) weigh(a *account, r *reading, f *[candidates]forecast, excluded *[candidates]bool) (changed, contradicted bool) {
	left, above, below := float64(r.left), float64(r.above), float64(r.below)
	possible := lesser(float64(a.quota), 1+float64(r.own)+r.refill*r.passed)
	noise := math.Sqrt(roundedUnits + r.others*r.passed)
	against, best, least := &ensure(&a.kept).against, 0, float32(beliefMost)
	for i := range f {
		price := 0.0
		if wrong := errorOf(&f[i], left, above, below) - noise; wrong > 0 {
			switch price = lesser(wrong/(greater(possible, 1)/2), 1); {
			case r.refused: // a refusal shows only that other clients were faster
				price /= 2
			case wrong > float64(a.quota)/2:
				price = 2
			}
		}
		if excluded[i] || left > f[i].most+above {
			price++
			contradicted = contradicted || i == int(b.believed)
		}
		score := against[i]*(1-beliefFades) + float32(price)
		if score > beliefMost {
			score = beliefMost
		}
		if against[i] = score; score < least {
			best, least = i, score
		}
	}
	for i := range against {
		against[i] -= least
	}
	if changed = against[b.believed] >= beliefLead; changed {
		b.believed = uint8(best)
	}
	return changed, contradicted
}

// errorOf returns how far a reading is from a forecast, allowing for requests that overtook each other.
func errorOf(f *forecast, left, above, below float64) float64 {
	return greater(f.low-below-left, left-f.high-above)
}

// isNearer reports whether a reading is closer to forecast a than to b.
func isNearer(r *reading, a, b *forecast) bool {
	left, above, below := float64(r.left), float64(r.above), float64(r.below)
	return errorOf(a, left, above, below) < errorOf(b, left, above, below)
}
