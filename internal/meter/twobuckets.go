package meter

import "time"

// TwoBuckets contains the units of one client in the current bucket, which begins at start, and in the
// previous one.
type TwoBuckets struct {
	Start             time.Time
	Current, previous int64
}

// At returns the two buckets for the time now.
func (b TwoBuckets) At(now time.Time, window time.Duration) TwoBuckets {
	start := now.Truncate(window)
	switch {
	case !start.After(b.Start): // the same bucket, or a clock set back
		return b
	case start.Equal(b.Start.Add(window)):
		return b.following(window)
	}
	return TwoBuckets{Start: start}
}

// following returns the two buckets one window later.
func (b TwoBuckets) following(window time.Duration) TwoBuckets {
	return TwoBuckets{Start: b.Start.Add(window), previous: b.Current}
}

// Remaining returns the quota less the estimate.
func (b TwoBuckets) Remaining(now time.Time, quota int64, window time.Duration) int64 {
	left := min(b.Start.Add(window).Sub(now), window)
	return max(max(quota-b.Current, 0)-MulDiv(b.previous, int64(left), int64(window)), 0)
}

// Until returns the first instant, in these or later buckets, at which the estimate is at most size. size is
// not negative.
func (b TwoBuckets) Until(size int64, window time.Duration) time.Time {
	for ; ; b = b.following(window) {
		if elapsed := b.elapsed(size-b.Current, window); elapsed < window {
			return b.Start.Add(elapsed)
		}
	}
}

// elapsed returns how far into the current bucket the previous one first counts for at most units. It returns
// window if that is never in this bucket. The condition is previous × (T − elapsed) / T ≤ units, with the
// left side rounded down. That is the same as previous × (T − elapsed) ≤ (units + 1) × T − 1.
func (b TwoBuckets) elapsed(units int64, window time.Duration) time.Duration {
	switch {
	case units < 0:
		return window
	case units >= b.previous:
		return 0
	}
	left, _, _ := mulAddDiv(units, int64(window), uint64(window-1), b.previous)
	return window - time.Duration(left)
}
