package pacer

// A past is what is known of a limit only once a second request was sent or answered. Most limits of a program
// that has many partitions have none.
type past struct {
	held    Instant // until when a refusal that was about this limit holds what uses it
	firm    Instant // until when Retry-After asked for that
	last    Instant // when the last request was sent
	haste   haste
	before  float32             // units that all used in the window before the one told of, see slidingCounter
	counted float32             // own units that were sent within a window before the request of which r was told
	against [candidates]float32 // the score of each, see belief
	history history
	cut     bool    // the server cuts times to the second, see account.late
	period  *period // nil: the window is told, or no answer has come since the first
}

// past is what is kept of it, which is not to be written to.
func (a *account) past() *past {
	if a.kept == nil {
		return new(past)
	}
	return a.kept
}
