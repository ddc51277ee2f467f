package fleet

import "math"

// A claim is what one member wants of something that is divided: at least so much,
// at most so much.
type claim struct{ least, most float64 }

// level returns the height up to which each claim is met, so that all together get total:
// the max-min fair division. If there is enough for all, it is +Inf; if there is too
// little even for the least of each, 0.
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
	for range 64 { // as many as there are bits to find
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

// at is what the claim gets at that level.
func (c claim) at(level float64) float64 { return max(c.least, min(c.most, level)) }

// fill returns what each claim gets of total. What nobody needs is given to all alike.
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

// golden turns the roundings of windows so that they come out even in any number of them.
const golden = 0.6180339887498949

// whole rounds parts to whole numbers that have the same sum, rounded down: another one
// is rounded up in each turn.
func whole(parts []float64, turn int64) []int64 {
	const tiny = 1e-4 // that sums may be short of whole numbers, or above them
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
