package pacer

import "math"

// The candidates that a limit is thought to be.
const (
	asWindow = iota
	asBucket
	asCounter
	asLog
	candidates
)

const (
	beliefFades  = 1.0 / 16 // per reading: faster forgets evidence that is rare, slower mends errors late
	beliefLead   = 1.0      // by which another candidate is believed: less flaps, more is late
	roundedUnits = 0.25     // variance of r, which is told in whole units
	beliefMost   = 4.0      // of a score: more takes longer to change a mind that was sure
)

// A belief says which candidate a limit is thought to be: the one that was contradicted least.
//
// A score is what speaks against a candidate. A reading that it excludes adds 1, and one
// that it did not expect a part of 1. Say q = 100, 10 units were sent in the
// last 6 s, r = 90 before and r = 90 now. A window excludes that, as r must have fallen
// to 80; a bucket expects it. So the window's score is 1, and a bucket is believed.
type belief struct {
	believed uint8 // the scores are in past.against
}

// weigh takes in a reading that each candidate has forecast. It reports whether another
// candidate is believed now, and whether the one believed so far is contradicted.
func (b *belief) weigh(a *account, r *reading, f *[candidates]forecast, excluded *[candidates]bool) (changed, contradicted bool) {
	left, above, below := float64(r.left), float64(r.above), float64(r.below)
	possible := lesser(float64(a.quota), 1+float64(r.own)+r.refill*r.passed)
	noise := math.Sqrt(roundedUnits + r.others*r.passed)
	against, best, least := &made(&a.kept).against, 0, float32(beliefMost)
	for i := range f {
		price := 0.0
		if wrong := errorOf(&f[i], left, above, below) - noise; wrong > 0 {
			switch price = lesser(wrong/(greater(possible, 1)/2), 1); {
			case r.refused: // who came too late knows only that others were quicker
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

// errorOf is how far a reading is from a forecast, but for requests that overtook each other.
func errorOf(f *forecast, left, above, below float64) float64 {
	return greater(f.low-below-left, left-f.high-above)
}

// isNearer reports whether a reading fits the first of two forecasts better, of which either may hold.
func isNearer(r *reading, a, b *forecast) bool {
	left, above, below := float64(r.left), float64(r.above), float64(r.below)
	return errorOf(a, left, above, below) < errorOf(b, left, above, below)
}
