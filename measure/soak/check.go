package main

import (
	"fmt"
	"time"
)

// check returns what may not be about a request that is over.
func (r *record) check(outage func(of *party, from, to time.Time) bool) (wrong []string) {
	never := func(is bool, format string, args ...any) {
		if is {
			wrong = append(wrong, fmt.Sprintf(format, args...))
		}
	}
	never(r.running > 0, "a handler still runs")
	never(r.processed > 1 && !r.idempotent(), "was processed %d times", r.processed)
	never(r.processed > 1 && !r.processedAgain(), "was processed %d times, though no connection was lost", r.processed)
	r.checkOutcome(r.lost > 0 || outage(r.party, r.called, r.ended), never)
	return wrong
}

// checkOutcome calls never with what may not be about a request of its outcome. isLost: a connection was lost.
func (r *record) checkOutcome(isLost bool, never func(is bool, format string, args ...any)) {
	arrivals := r.throttled + r.unavailable + r.processed + r.unprocessed
	switch r.outcome {
	case served:
		never(r.processed == 0, "was not processed")
	case throttled:
		never(r.throttled+r.unavailable == 0, "was not refused")
		never(r.processed > 0 && (!r.idempotent() || !isLost), "was processed")
		never(r.resendable() && r.throttled+r.unavailable <= maxRetries, "was not sent again, after %d arrivals", arrivals)
	case refused:
		never(arrivals > 0, "arrived %d times", arrivals)
		never(r.patient() && r.party.transport.MaxWait < 0, "would have waited")
	case cancelled:
		never(r.patient() && !r.forced, "nobody cancelled it")
	case failed, cut:
		never(!isLost, "no connection was lost")
	default:
		never(true, "has no outcome")
	}
}

// processedAgain reports whether there was a reason to process it again: net/http sends
// what is idempotent again if a connection breaks before there is a response.
func (r *record) processedAgain() bool { return r.lost > 0 || r.first != r.last }

// resendable reports whether a Transport has to send it again until MaxRetries is used up.
func (r *record) resendable() bool {
	return r.replayable && r.patient() && r.party.transport.MaxWait < 0 && (r.idempotent() || r.unavailable == 0)
}
