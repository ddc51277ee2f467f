package main

import (
	"time"

	"github.com/headway-go/headway/ratelimittest"
)

// A slice counts the requests that arrived in one slice of time.
type slice struct{ allowed, refused int }

// slices divides the arrivals since begun into slices of the given width.
func slices(arrivals ratelimittest.Arrivals, begun time.Time, width time.Duration) []slice {
	cut := make([]slice, len(arrivals.Slices(begun, width)))
	for i, n := range arrivals.Allowed().Slices(begun, width) {
		cut[i].allowed = n
	}
	for i, n := range arrivals.Refused().Slices(begun, width) {
		cut[i].refused = n
	}
	return cut
}

// busiest returns the number of requests in the busiest slice.
func busiest(cut []slice) int {
	most := 0
	for _, s := range cut {
		most = max(most, s.allowed+s.refused)
	}
	return most
}
