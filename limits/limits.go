// Package limits is the vocabulary of rate limits: what a server tells of a limit, and what
// a client believes of it. Packages parse, validate, pacer and headway share its types, so that
// what one of them finds out reaches the next one as it is. It has no dependencies.
package limits

import "time"

// Unknown stands for a number or duration that is not known. It is never 0: zero
// remaining is an exhausted quota, unknown remaining is no news.
const Unknown = -1

// A Unit is a quota unit (draft-ietf-httpapi-ratelimit-headers-10 §3.1.2): what a
// quota counts. Other values than the three below are a vendor's own.
type Unit string

// The quota units that the draft registers.
const (
	Requests           Unit = "requests"
	ContentBytes       Unit = "content-bytes"
	ConcurrentRequests Unit = "concurrent-requests"
)

// Told is what one response tells of one limit: a policy of the server's and where the
// client stands with it (draft-ietf-httpapi-ratelimit-headers-10 §3, §4). Of what package
// validate returns, the strings share memory with the response's header.
type Told struct {
	// Policy is the policy's name, "" where the server has none. Names are
	// chosen by the server and differ in case. See package validate for how
	// names are found.
	Policy string

	// PartitionKey is the base64 text that the server sent for its partition
	// of the quota, "" if none. The same policy with another key is another limit.
	PartitionKey string

	// Unit is what the limit counts: Requests unless a policy says otherwise. ""
	// counts as Requests.
	Unit Unit

	// Quota is how many units the policy grants per Window, Remaining how many
	// are available now. Either may be Unknown, and Remaining may be greater
	// than Quota.
	Quota, Remaining int64

	// Window is the length of the policy's window; it is never a wait. Reset is
	// the time from receipt until more is available; it is never in the past.
	// Either may be Unknown.
	Window, Reset time.Duration

	// Dialect is the set of fields that told the limit first, if several did; 0 if it
	// was not told by fields.
	Dialect Dialect
}

// Believed is what a client believes of one limit at one moment, but for times: these are
// of the clock of whoever holds it.
type Believed struct {
	Policy       string // the server's name for the policy; "" if it has none
	PartitionKey string // the server's key for its partition of the quota; "" if none
	Unit         Unit   // what Quota, Remaining and Rate count

	Quota     int64         // Unknown if it is not known
	Remaining int64         // less what was sent since it was told; Unknown if it is not known
	Window    time.Duration // a guess, or measured, if no answer told a time; Unknown if it is not known

	// Rate is how many units per second the limit allows this client now; the
	// least of all limits bounds its pace. 0 if the limit sets none.
	Rate float64

	Share   float64 // part of the quota that this client takes for its own, more than 0 and at most 1
	Refills bool    // units come back bit by bit, not all at the end of a window
	Agreed  bool    // the share is what clients that share the quota have agreed on, not what was measured
}
