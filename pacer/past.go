package pacer

// A past has the fields of a limit that a single request does not need. They are allocated with the second
// request, to save memory: most limits of a program with many partitions never get one.
type past struct {
	held    Instant // end of the hold on requests that use this limit
	firm    Instant // the end of what Retry-After asked for
	last    Instant // when the last request was sent
	haste   haste
	before  float32             // units of all clients in the window before the last reported one, see slidingCounter
	counted float32             // own units of the window before the request whose response reported r
	against [candidates]float32 // the score of each candidate, see belief
	history history
	cut     bool    // the server cuts times to the second, see account.late
	period  *period // nil: the window was never measured from r
}

// past returns kept for reading only.
func (a *account) past() *past {
	if a.kept == nil {
		return new(past)
	}
	return a.kept
}

// held and lasts keep past off the stack, which has 4 KiB where a request waits.

// held returns the end of the hold on requests that use this limit.
func (a *account) held() Instant {
	if a.kept == nil {
		return 0
	}
	return a.kept.held
}

// lasts returns the part of a window that its quota is expected to last, see haste.
func (a *account) lasts() float64 {
	if a.kept == nil {
		return 1
	}
	return a.kept.haste.lasts()
}
