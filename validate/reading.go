package validate

import (
	"time"

	"github.com/headway-go/headway/parse"
)

// Unknown stands for a number or duration that a response does not tell. It is
// never 0: zero remaining is an exhausted quota, unknown remaining is no news.
const Unknown = parse.Unknown

// A Reading is what one response tells a client about rate limits.
type Reading struct {
	// Limits are the limits that the response reports, one for each policy and
	// partition key, in the order of precedence of their families. It is empty
	// when the response says nothing that can be relied on.
	Limits []Limit

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

// A Limit is one policy of a server and where the client stands with it
// (draft-ietf-httpapi-ratelimit-headers-10 §3, §4). Its strings share memory
// with the response's header.
type Limit struct {
	// Policy is the policy's name, "" where the server has none. Names are
	// chosen by the server and differ in case. See the package comment for how
	// names are found.
	Policy string

	// PartitionKey is the base64 text that the server sent for its partition
	// of the quota, "" if none. The same policy with another key is another limit.
	PartitionKey string

	// Unit is what the limit counts: parse.Requests unless a policy says
	// otherwise.
	Unit parse.Unit

	// Quota is how many units the policy grants per Window, Remaining how many
	// are available now. Either may be Unknown, and Remaining may be greater
	// than Quota.
	Quota, Remaining int64

	// Window is the length of the policy's window; it is never a wait. Reset is
	// the time from receipt until more is available; it is never in the past.
	// Either may be Unknown.
	Window, Reset time.Duration

	// Dialect is the set of fields that told the limit first, if several did.
	Dialect Dialect
}
