package validate

import (
	"time"

	"github.com/headway-go/headway/limits"
)

// Unknown stands for a number or duration that a response does not tell. It is
// never 0: zero remaining is an exhausted quota, unknown remaining is no news.
const Unknown = limits.Unknown

// A Reading is what one response tells a client about rate limits.
type Reading struct {
	// Limits are the limits that the response reports, one for each policy and
	// partition key, in the order of precedence of their families. It is empty
	// when the response says nothing that can be relied on.
	Limits []limits.Told

	// RetryAfter is how long after receipt the server asks not to be asked
	// again (RFC 9110 §10.2.3). 0 means now, Unknown that the response does not
	// say. It takes precedence over any Reset, and may come with a response
	// that is not throttled.
	RetryAfter time.Duration

	// Throttled means that the response refuses the request because of a limit:
	// status 429; 503 with Retry-After; 403 with a Retry-After that is not 0 or
	// with a limit of which nothing remains; a status of the host's Profile. Whether the request may be sent
	// again is not judged.
	Throttled bool

	// Unproven means that neither status nor header show that the response refuses the
	// request because of a limit, but that its body may, by the host's Profile. See Prove.
	Unproven bool

	// Violated are the names of the policies because of which the response asks to wait, where
	// fields say so (Retry-After-<name>), in lower case. It is nil if they do not say, or if they explain
	// a part of RetryAfter only.
	Violated []string

	// Cached means that a cache answered, not the server itself: the limits that
	// the response tells are not believed, and that it tells none means nothing.
	Cached bool

	// Problems are the fields that were ignored or clamped, malformed ones
	// first.
	Problems []*Problem

	proofs  []string      // texts of which the body has one if the response is a refusal
	minWait time.Duration // what the Profile tells of a refusal
	blamed  string        // the policy that PolicyField names; "" if it names none
}

// IsSilent reports whether the response tells nothing of limits, as most do: no limit and no time to wait, and it
// neither was refused nor may have been. There may be Problems.
func (r *Reading) IsSilent() bool {
	return len(r.Limits) == 0 && r.RetryAfter == Unknown && !r.Throttled && !r.Unproven
}
