package ratelimittest

import (
	"math"
	"time"
)

// Arrivals are requests in the order of arrival: a whole log or a part of one.
// The methods return new slices and numbers and change nothing. Each figure says
// what it makes of no arrivals.
type Arrivals []Arrival

// Allowed returns those that were allowed.
func (a Arrivals) Allowed() Arrivals { return a.filter(func(x Arrival) bool { return x.Allowed }) }

// Refused returns those that were refused because of the limit.
func (a Arrivals) Refused() Arrivals { return a.filter(func(x Arrival) bool { return !x.Allowed }) }

// Of returns those of one client.
func (a Arrivals) Of(client string) Arrivals {
	return a.filter(func(x Arrival) bool { return x.Client == client })
}

// Between returns those that arrived at from or later, and before to.
func (a Arrivals) Between(from, to time.Time) Arrivals {
	return a.filter(func(x Arrival) bool { return !x.Time.Before(from) && x.Time.Before(to) })
}

func (a Arrivals) filter(keep func(Arrival) bool) Arrivals {
	var kept Arrivals
	for _, x := range a {
		if keep(x) {
			kept = append(kept, x)
		}
	}
	return kept
}

// Busiest returns the most arrivals in any slice of time of the given width,
// wherever it begins; its end does not belong to it. 0 for none, and for a width
// of 0 or less.
func (a Arrivals) Busiest(width time.Duration) int {
	most, first := 0, 0
	for i := range a {
		for first <= i && a[i].Time.Sub(a[first].Time) >= width {
			first++
		}
		most = max(most, i+1-first)
	}
	return most
}

// mostSlices is more than a picture has, and little enough to keep.
const mostSlices = 1_000_000

// Slices counts the arrivals in each slice of time of the given width, from start
// up to the slice of the last arrival. What arrived before start is left out. nil
// for no arrivals, a width of 0 or less, and more than a million slices.
func (a Arrivals) Slices(start time.Time, width time.Duration) []int {
	last := time.Duration(-1)
	for _, x := range a {
		last = max(last, x.Time.Sub(start))
	}
	if width <= 0 || last < 0 || last/width >= mostSlices {
		return nil
	}
	counts := make([]int, last/width+1)
	for _, x := range a {
		if since := x.Time.Sub(start); since >= 0 {
			counts[since/width]++
		}
	}
	return counts
}

// GapCV returns the coefficient of variation of the gaps between arrivals, their
// standard deviation over their mean: 0 for requests at even intervals, about 1
// for random ones, more for bursts. The first and the last tenth of the time
// from first to last arrival do not count. NaN if that leaves no gap, or only
// gaps of length 0.
func (a Arrivals) GapCV() float64 {
	if len(a) == 0 {
		return math.NaN()
	}
	first, last := a[0].Time, a[len(a)-1].Time
	tenth := last.Sub(first) / 10
	run := a.Between(first.Add(tenth), last.Add(-tenth).Add(1)) // the nanosecond: both ends belong to it

	var sum, squares, n float64
	for i := 1; i < len(run); i++ {
		gap := run[i].Time.Sub(run[i-1].Time).Seconds()
		sum += gap
		squares += gap * gap
		n++
	}
	mean := sum / n
	return math.Sqrt(max(squares/n-mean*mean, 0)) / mean
}

// LongestGap returns the longest time between two arrivals, 0 for fewer than two.
func (a Arrivals) LongestGap() time.Duration {
	var longest time.Duration
	for i := 1; i < len(a); i++ {
		longest = max(longest, a[i].Time.Sub(a[i-1].Time))
	}
	return longest
}

// Jain returns Jain's fairness index over the numbers of allowed requests of
// those that share a limit, as told apart by key: (Σx)² / (n Σx²), 1 if all had
// the same share, 1/n if one had all (R. Jain et al., DEC-TR-301, 1984). Who
// never sent a request does not count, who was never allowed one does. NaN if no
// request was allowed.
func (a Arrivals) Jain(key func(Arrival) string) float64 {
	shares := make(map[string]float64)
	for _, x := range a {
		share := shares[key(x)]
		if x.Allowed {
			share++
		}
		shares[key(x)] = share
	}
	var sum, squares float64
	for _, share := range shares {
		sum += share
		squares += share * share
	}
	return sum * sum / (float64(len(shares)) * squares)
}
