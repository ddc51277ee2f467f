package parse

import (
	"time"

	"github.com/headway-go/headway/limits"
)

// Unknown is the value of a number that no field reports. It is -1 and not 0, as a remaining quota of 0
// means that the quota is used up.
const Unknown = limits.Unknown

// A Unit is a quota unit: what a quota counts (draft-ietf-httpapi-ratelimit-headers-10 §3.1.2). The
// constants are the registered units. Any other value is a vendor's unit, such as "tokens".
type Unit = limits.Unit

// The quota units that the draft registers.
const (
	Requests           = limits.Requests
	ContentBytes       = limits.ContentBytes
	ConcurrentRequests = limits.ConcurrentRequests
)

// Fields has the rate-limit header fields of one response, field by field. The fields are checked for
// syntax only. An absent or malformed field leaves its part zero. A malformed field adds to Problems,
// except Age and X-From-Cache, which count as absent.
type Fields struct {
	RateLimit  List[ServiceLimit] // RateLimit: drafts 08 and later, or the dictionary of draft 07 as one item without a name
	Policy     List[Policy]       // RateLimit-Policy, of any draft
	Trio       Counts             // RateLimit-Limit, -Remaining, -Reset
	XRateLimit Counts             // X-RateLimit-*
	XDashed    Counts             // X-Rate-Limit-*
	Named      []Named            // limits with a label or of a vendor, sorted by family and label: see Named

	RetryAfter      When   // Retry-After
	RetryAfterFine  When   // the fields with a finer resolution, always a delay; the longest of several fields
	RetryAfterAlias When   // the fields that servers send instead of Retry-After; the longest of several fields
	FineName        string // the name of a field that reported RetryAfterFine, as sent
	AliasName       string // the name of a field that reported RetryAfterAlias, as sent

	NamedWaits []NamedWait // Retry-After-<name>, sorted by name; at most MaxNamed

	Age       time.Duration // Age (RFC 9111 §5.1): how long ago the origin made the response; the first value
	FromCache bool          // X-From-Cache: a cache inside the client sent the response
	Problems  []*Error      // the errors, at most one for each field

	isFullNoted bool // Problems has the ErrTooMany of Named
}

// A ServiceLimit is one item of RateLimit.
type ServiceLimit struct {
	Name         string // the policy's name; "" in draft 07
	Quota        int64  // draft 07's limit; Unknown in later drafts
	Remaining    int64  // r; Unknown when absent
	Reset        int64  // t, delta seconds; Unknown when absent
	PartitionKey string // pk: the base64 text between the colons, as sent
}

// A Policy is one item of RateLimit-Policy, or one policy in RateLimit-Limit.
type Policy struct {
	Name         string // "" before draft 08, where the item is the quota itself
	Quota        int64  // q
	Window       int64  // w in seconds; Unknown when absent
	Unit         Unit   // qu; Requests when absent
	PartitionKey string // pk: the base64 text between the colons, as sent
}

// Counts is what the separate fields of one limit report: the trio of the early drafts, X-RateLimit-*,
// X-Rate-Limit-*, or the fields of a [Named].
type Counts struct {
	Present      bool // at least one field of the limit is there and well formed
	HasRemaining bool // Remaining was sent; distinguishes a Remaining of -1 from Unknown
	IsPeriod     bool // Window comes from a field for windows: -Period or the like
	BadLimit     bool // -Limit was sent, and it or a part of it was not understood
	Unlimited    bool // -Limit is negative, by which some servers report that there is no limit

	Limit      int64 // Unknown if absent or not a number
	Remaining  int64 // as sent, possibly negative; Unknown if absent: see HasRemaining
	Used       int64 // Unknown if absent
	Reset      When  // -Reset and -ResetTime: the longer wait
	ResetAfter When  // -Reset-After, always a delay

	// Window is -Period, -Interval, -Duration or -Window-Size; or a -Limit such as 1m; or Limit divided by
	// the refill rate. It is Unknown if absent.
	Window time.Duration

	Policies []Policy // the policies after the number in -Limit: 100, 100;w=60
	Name     string   // -Bucket, -Resource, -Name, -Policy or -Rule: the limit that the numbers are about
}

// Named is one limit whose fields have a label in their names, such as X-RateLimit-Remaining-Tokens and
// X-RateLimit-Limit-Minute, or are a vendor's own. The label distinguishes the limits of one server.
type Named struct {
	Counts

	Names    Names
	Position int    // index among the limits that the same fields list, from 0
	Label    string // the label in lower case, such as "tokens", "minute" or "user"; "" if there is none
	Unit     Unit   // derived from the label; Requests if the label has no unit
}

// Names has the names, as sent, of the fields that report a limit. The name of a part that no field
// reports is the name of the limit's first field.
type Names struct {
	Limit     string // of the field with the quota or the window
	Remaining string // of the field with the remaining or used units
	Reset     string // of the field with the reset
}

// A List holds the items of a list field. Up to two items are stored in place, so that reading an
// ordinary header allocates nothing.
type List[T any] struct {
	n       int
	small   [2]T
	spilled []T // all items, if there are more than fit into small
}

// All returns the items in the order sent. The slice shares memory with l and must not be changed.
func (l *List[T]) All() []T {
	if l.spilled != nil {
		return l.spilled
	}
	return l.small[:l.n]
}

// add appends a zero item and returns a pointer to it.
func (l *List[T]) add() *T {
	if l.spilled == nil && l.n < len(l.small) {
		l.n++
		return &l.small[l.n-1]
	}
	if l.spilled == nil {
		l.spilled = append(make([]T, 0, 2*len(l.small)), l.small[:]...)
	}
	l.spilled = append(l.spilled, *new(T))
	return &l.spilled[len(l.spilled)-1]
}
