package validate

import (
	"time"

	"github.com/headway-go/headway/limits"
)

// Unknown is the value of a number or duration that a response does not report. It is -1 and not 0, as a
// remaining quota of 0 means that the quota is used up.
const Unknown = limits.Unknown

// A Reading is what one response reports about rate limits.
type Reading struct {
	// Limits has the limits of the response, one for each policy and partition key, in the order of precedence of their
	// families. It is empty if the response reports no limit that a client may rely on.
	Limits []limits.Reported

	// RetryAfter is how long after receipt the server requires the client to wait (RFC 9110 §10.2.3). 0 means no wait;
	// Unknown means that no field, profile or caller says so. RetryAfter takes precedence over any Reset. It may be set on a
	// response that is not throttled.
	RetryAfter time.Duration

	// Throttled means that the response refuses the request because of a limit. These responses do: status 429; 503 with
	// Retry-After; 403 with a Retry-After above 0, or with a limit that is used up; a status of the host's Profile.
	// Throttled does not say whether the request may be sent again.
	Throttled bool

	// Unproven means that the body may show that the response refuses the request because
	// of a limit, by the host's Profile. Status and header do not show it. See Prove.
	Unproven bool

	// Violated has the names of the policies that cause the wait, in lower case, from the fields Retry-After-<name>. It
	// is nil if there are no such fields, or if RetryAfter is longer than all of them.
	Violated []string

	// Cached means that a cache answered, not the server itself. The limits of the response
	// are ignored, and the absence of limits means nothing.
	Cached bool

	// Problems has the fields that were ignored or clamped, in the order in which they were found.
	Problems []*Problem

	proofs  []string      // the Texts of the Profile's proofs for this status
	minWait time.Duration // MinWait of the Profile, clamped
	cause   string        // the policy in PolicyField; "" if there is none
}

// IsSilent reports whether the response says nothing about limits, as most responses do: no limit, no
// wait, and no refusal, proven or not. There may be Problems.
func (r *Reading) IsSilent() bool {
	return len(r.Limits) == 0 && r.RetryAfter == Unknown && !r.Throttled && !r.Unproven
}
