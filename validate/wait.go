package validate

import (
	"time"

	"github.com/headway-go/headway/parse"
)

// wait reads Retry-After and its kin.
func (r *reader) wait(f *parse.Fields) {
	from := retryAfter()
	r.RetryAfter = r.retryDelay(&from, f.RetryAfter)
	if fine := r.delay(&from, f.RetryAfterFine); fine != Unknown {
		r.RetryAfter = finer(r.RetryAfter, fine)
	}
	if r.RetryAfter == Unknown {
		r.RetryAfter = r.retryDelay(&from, f.RetryAfterAlias)
	}
	clamp(r, &from, resetPart, &r.RetryAfter, r.bounds.MaxReset, TooLong)
}

// finer is the finer one of two times to wait if they differ by a rounded second at most,
// else the longer one.
func finer(seconds, fine time.Duration) time.Duration {
	if seconds == Unknown || max(seconds, fine)-min(seconds, fine) <= time.Second {
		return fine
	}
	return max(seconds, fine)
}
