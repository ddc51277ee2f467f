package fleet

import "math"

// A claim is what one member wants of a quota: at least least, and at most most.
type claim struct{ least, most float64 }

// level returns the level of a max-min fair division of total, by water-filling: each claim gets the level,
// within its own bounds, and together they get total. The level is +Inf if total covers all claims, and 0 if
// it does not cover the least of each.
func level(claims []claim, total float64) float64 {
	var least, most, top float64
	for _, c := range claims {
		least += c.least
		most += max(c.least, c.most)
		top = max(top, c.least+total)
	}
	switch {
	case most <= total:
		return math.Inf(1)
	case least >= total:
		return 0
	}
	low, high := 0.0, top
	for range 64 { // one step for each bit of the result
		middle := (low + high) / 2
		var sum float64
		for _, c := range claims {
			sum += c.at(middle)
		}
		if sum > total {
			high = middle
		} else {
			low = middle
		}
	}
	return low
}

// at returns what the claim gets at a level.
func (c claim) at(level float64) float64 { return max(c.least, min(c.most, level)) }

// fill returns what each claim gets of total. What nobody claims is divided evenly.
func fill(claims []claim, total float64) []float64 {
	parts, height := make([]float64, len(claims)), level(claims, total)
	rest := total
	for i, c := range claims {
		parts[i] = c.at(height)
		rest -= parts[i]
	}
	if math.IsInf(height, 1) {
		for i := range parts {
			parts[i] += rest / float64(len(parts))
		}
	}
	return parts
}

// golden is the golden ratio's fraction. Its multiples are spread evenly, so roundings even out over any
// number of windows.
const golden = 0.6180339887498949

// whole rounds parts to whole numbers with the same sum, rounded down. Which parts are rounded up changes
// with each turn.
func whole(parts []float64, turn int64) []int64 {
	const tiny = 1e-4 // tolerates errors of floating-point sums
	_, sum := math.Modf(float64(turn) * golden)
	sum = min(max(sum, tiny), 1-tiny)
	units := make([]int64, len(parts))
	last := int64(math.Floor(sum))
	for i, part := range parts {
		sum += part
		next := int64(math.Floor(sum))
		units[i], last = next-last, next
	}
	return units
}
