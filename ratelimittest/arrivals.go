package ratelimittest

import (
	"math"
	"time"
)

// An Arrival is one request as the Handler saw it.
type Arrival struct {
	Time       time.Time // when the request arrived
	Client     string    // the client whose quota the request used, as Handler.Client names it
	RemoteAddr string    // the client's address
	Method     string
	Path       string
	Cost       int64 // in quota units
	Allowed    bool  // false: refused because of the limit
	Status     int   // of the response; 0 until the handler has returned, and for good if it panicked
}

// Arrivals are requests in the order of arrival: a whole log or a part of one. The methods return new slices
// and numbers and change nothing. Each method documents its result for an empty Arrivals.
type Arrivals []Arrival

// Allowed returns the requests that the limiter allowed.
func (a Arrivals) Allowed() Arrivals { return a.filter(func(x Arrival) bool { return x.Allowed }) }

// Refused returns the requests that were refused because of the limit.
func (a Arrivals) Refused() Arrivals { return a.filter(func(x Arrival) bool { return !x.Allowed }) }

// Of returns the requests of one client, as Arrival.Client names it.
func (a Arrivals) Of(client string) Arrivals {
	return a.filter(func(x Arrival) bool { return x.Client == client })
}

// Between returns the requests that arrived in [from, to): from is included, to is not.
func (a Arrivals) Between(from, to time.Time) Arrivals {
	return a.filter(func(x Arrival) bool { return !x.Time.Before(from) && x.Time.Before(to) })
}

func (a Arrivals) filter(keep func(Arrival) bool) Arrivals {
	var chosen Arrivals
	for _, x := range a {
		if keep(x) {
			chosen = append(chosen, x)
		}
	}
	return chosen
}

// Busiest returns the largest number of requests in any interval of the given width. The interval may begin
// anywhere, and its end is excluded. Busiest returns 0 for no arrivals, and for a width of 0 or less.
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

// maxSlices bounds the memory of Slices; a picture has far fewer.
const maxSlices = 1_000_000

// Slices counts the requests in consecutive intervals of the given width. The first interval begins at start,
// the last one contains the last request; requests before start do not count. Slices returns nil for no
// arrivals, for a width of 0 or less, and if there were more than a million intervals.
func (a Arrivals) Slices(start time.Time, width time.Duration) []int {
	last := time.Duration(-1)
	for _, x := range a {
		last = max(last, x.Time.Sub(start))
	}
	if width <= 0 || last < 0 || last/width >= maxSlices {
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

// GapCV returns the coefficient of variation of the gaps between requests: the standard deviation over the mean. It is
// 0 for requests at even intervals, about 1 for random ones, and more for bursts. The first and the last tenth of the
// time between first and last request are left out. GapCV returns NaN if no gap remains, or only gaps of length 0.
func (a Arrivals) GapCV() float64 {
	if len(a) == 0 {
		return math.NaN()
	}
	first, last := a[0].Time, a[len(a)-1].Time
	tenth := last.Sub(first) / 10
	run := a.Between(first.Add(tenth), last.Add(-tenth).Add(1)) // a nanosecond more, as Between excludes its end

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

// LongestGap returns the longest time between two consecutive requests, and 0 for fewer than two requests.
func (a Arrivals) LongestGap() time.Duration {
	var longest time.Duration
	for i := 1; i < len(a); i++ {
		longest = max(longest, a[i].Time.Sub(a[i-1].Time))
	}
	return longest
}

// Jain returns Jain's fairness index of clients that share a limit (R. Jain et al., DEC-TR-301, 1984). key
// names the client of a request. With x as a client's number of allowed requests, and n clients, the index is
//
//	(Σx)² / (n Σx²)
//
// It is 1 if all clients had the same share, and 1/n if one client had everything. A client whose requests
// were all refused counts with x = 0; a client that never sent a request does not count. Jain returns NaN if
// no request was allowed.
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
