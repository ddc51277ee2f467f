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

	// Verdict says whether the response refuses the request because of a limit, and whether waiting helps. These responses
	// refuse: status 429; 402, 420, 430, 503, 509, 529 and 598 with Retry-After; 403 with a Retry-After above 0, or with a
	// limit that is used up; what the host's Profile says. The verdict does not say whether the request may be sent again.
	Verdict Verdict

	// Sign is what the verdict follows from: the name of a header field, the path of a member of the body, "body" for a text
	// in it, or Own; "" if it follows from status, Retry-After and limits alone.
	Sign string

	// WantsBody means that the body may say more about the verdict, by the host's Profile or if it is JSON. Pass its beginning
	// to ReadBody, or nothing if it cannot be read.
	WantsBody bool

	// OnlyRoute means that the refusal is about the requests of one route alone, by the host's Profile. Limits has the limit.
	OnlyRoute bool

	// Violated has the names of the policies that cause the wait, in lower case, from the fields Retry-After-<name>. It
	// is nil if there are no such fields, or if RetryAfter is longer than all of them.
	Violated []string

	// Cached means that a cache answered, not the server itself. The limits of the response
	// are ignored, and the absence of limits means nothing.
	Cached bool

	// Problems has the fields that were ignored or clamped, in the order in which they were found.
	Problems []*Problem

	pending   *reader       // what ReadBody goes on with; nil unless WantsBody
	isRefused bool          // by status, header or body, whether or not waiting helps
	nevers    []*Sign       // that say that waiting does not help; not all may count
	helps     bool          // a sign says that waiting helps
	helpsHere bool          // one of the host does
	minWait   time.Duration // MinWait of the Profile, clamped
	cause     string        // the policy in PolicyField; "" if there is none
}

// IsSilent reports whether the response says nothing about limits, as most responses do: no limit, no
// wait, no refusal, and no body that may show one. There may be Problems.
func (r *Reading) IsSilent() bool {
	return len(r.Limits) == 0 && r.RetryAfter == Unknown && r.Verdict == VerdictNone && !r.WantsBody
}
