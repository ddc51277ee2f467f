// Package limits has the types that describe a rate limit: [Reported] is what one response reports of it, [Known] is
// what a client knows of it. [Usage] and [Parts] are what clients that share quotas exchange. Packages parse,
// validate, pacer and headway use these types to pass limits on to each other. It imports nothing but the standard library.
package limits

import "time"

// Unknown is the value of a number or duration that is not known. It is -1 and not 0, as a remaining
// quota of 0 means that the quota is used up.
const Unknown = -1

// A Unit is a quota unit: what a quota counts (draft-ietf-httpapi-ratelimit-headers-10 §3.1.2). The
// constants are the registered units. Any other value is a vendor's unit, such as "tokens".
type Unit string

// The quota units that the draft registers.
const (
	Requests           Unit = "requests"
	ContentBytes       Unit = "content-bytes"
	ConcurrentRequests Unit = "concurrent-requests"
)

// Reported is what one response reports of one limit: the server's policy and this client's quota under it
// (draft-ietf-httpapi-ratelimit-headers-10 §3, §4). Package validate returns Reported values whose strings
// share memory with the response's header.
type Reported struct {
	// Policy is the server's name for the policy, "" if it has none. Servers use upper and lower case as they like.
	// Package validate describes which field the name comes from.
	Policy string

	// PartitionKey is the server's key for its partition of the quota, in base64
	// as sent; "" if none. One policy with two keys is two limits.
	PartitionKey string

	// Unit is what the limit counts: Requests unless a policy says otherwise. "" means Requests.
	Unit Unit

	// Quota is how many units the policy allows per Window. Remaining is how many
	// units are available now; it may be greater than Quota. Either may be Unknown.
	Quota, Remaining int64

	// Window is the length of the policy's window. Reset is the time from receipt of the response until more units are
	// available; it is never negative. Either may be Unknown.
	Window, Reset time.Duration

	// Cost is how many units the request has used, as the server tells (parameter c of RateLimit, from draft 11 on). 0 and
	// less: not told.
	Cost int64

	// Dialect is the set of fields that reported the limit; 0 if no field did. If
	// several sets reported it, Dialect is the one with the highest precedence.
	Dialect Dialect
}

// Known is what a client knows of one limit at one moment. It has no times: types that embed it add
// times of their own clock.
type Known struct {
	Policy       string // the server's name for the policy; "" if it has none
	PartitionKey string // the server's key for its partition of the quota; "" if none
	Unit         Unit   // what Quota, Remaining and Rate count

	Quota     int64         // Unknown if no response reported it
	Remaining int64         // as reported, minus the units sent since; Unknown if no response reported it
	Window    time.Duration // as reported, else measured or guessed; Unknown if it is not known

	// Rate is how many units per second the limit allows this client now; 0 if the limit sets no rate.
	// The smallest rate of all limits bounds the client's pace.
	Rate float64

	Share   float64 // this client's share of the quota: more than 0 and at most 1
	Refills bool    // the limit is a token bucket: units come back one by one, not all at the end of a window
	Agreed  bool    // the clients that share the quota agreed on Share; false: this client measured it
}
