package parse

import (
	"time"

	"github.com/headway-go/headway/limits"
)

// Unknown stands for a number that a field does not tell. It is never 0: zero
// remaining is an exhausted quota, unknown remaining is no news.
const Unknown = limits.Unknown

// A Unit is a quota unit (draft-ietf-httpapi-ratelimit-headers-10 §3.1.2): what a
// quota counts. Other values than the three below are a vendor's own.
type Unit = limits.Unit

// The quota units that the draft registers.
const (
	Requests           = limits.Requests
	ContentBytes       = limits.ContentBytes
	ConcurrentRequests = limits.ConcurrentRequests
)

// Fields is what the rate-limit header fields of one response say, field by
// field: syntax only, nothing judged, no clock asked. A field that is absent or
// malformed leaves its part zero; a malformed one adds to Problems, but for Age and
// X-From-Cache, which count as absent.
type Fields struct {
	RateLimit  List[ServiceLimit] // RateLimit: drafts 08 and later, or draft 07's dictionary as one nameless item
	Policy     List[Policy]       // RateLimit-Policy, of any draft
	Trio       Counts             // RateLimit-Limit, -Remaining, -Reset
	XRateLimit Counts             // X-RateLimit-*
	XDashed    Counts             // X-Rate-Limit-*
	Named      []Named            // other names of limits, sorted by family and label: see Named

	RetryAfter      When   // Retry-After
	RetryAfterFine  When   // its finer twins, always delays: see the package comment; of several fields the longest
	RetryAfterAlias When   // the fields sent in its place: see the package comment; of several the longest
	FineName        string // of a field that told RetryAfterFine, as sent
	AliasName       string // of one that told RetryAfterAlias, as sent

	NamedWaits []NamedWait // Retry-After-<name>, sorted by name, at most MaxNamed

	Age       time.Duration // Age (RFC 9111 §5.1): how old the response is; of several values the first
	FromCache bool          // X-From-Cache: a cache of the client's own answered
	Problems  []*Error      // fields that were ignored, whole or in part, at most one a field

	crowded bool // it was noted that there are too many Named
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

// Counts is what separate fields say of one limit: the trio of the early drafts,
// X-RateLimit-*, X-Rate-Limit-*, and those of [Named].
type Counts struct {
	Present      bool // at least one field of the family was there and well formed
	HasRemaining bool // tells a Remaining of −1 that was sent from one that was not
	Global       bool // -Global
	IsPeriod     bool // Window is what -Period or the like tells
	Unlimited    bool // -Limit is negative, as those say it who have no limit

	Limit      int64         // Unknown when absent or not a count
	Remaining  int64         // as sent, a negative number included (see HasRemaining)
	Used       int64         // Unknown when absent
	Reset      When          // -Reset, else -ResetTime
	Next       When          // -Next: when the next request may be sent
	ResetAfter When          // -Reset-After, always a delay
	Window     time.Duration // -Period, -Interval, -Duration or -Window-Size, a -Limit such as 1m, or worked out from a rate of refill; Unknown when absent
	Policies   []Policy      // policies that follow the number in -Limit: 100, 100;w=60
	Name       string        // -Bucket, -Resource, -Name, -Policy or -Rule: which limit these numbers are about
	Scope      string        // -Scope
}

// Named is what fields say whose names tell one limit of a server from its others
// (X-RateLimit-Remaining-Tokens, X-RateLimit-Limit-Minute), or that are a vendor's own.
type Named struct {
	Counts

	Names    Names
	Position int    // among the limits that the same fields list, from 0
	Label    string // what the names add, in lower case: tokens, minute, user; the name that a list gives; "" if nothing
	Unit     Unit   // what it counts by its label; Requests if that does not say
}

// Names are those of the fields that tell the parts of a limit, as sent; where no field
// tells a part, that of the limit's first field.
type Names struct {
	Limit     string // what is allowed
	Remaining string // what remains, or was used
	Reset     string // when it resets
}

// A List holds the items of a list field. The usual few are stored in place, so
// that reading a header allocates nothing.
type List[T any] struct {
	n     int
	small [2]T
	more  []T // all of them, once they no longer fit into small
}

// All returns the items in the order sent. The slice is valid as long as l is
// and must not be changed.
func (l *List[T]) All() []T {
	if l.more != nil {
		return l.more
	}
	return l.small[:l.n]
}

// add appends a zero item and returns it, to be filled.
func (l *List[T]) add() *T {
	if l.more == nil && l.n < len(l.small) {
		l.n++
		return &l.small[l.n-1]
	}
	if l.more == nil {
		l.more = append(make([]T, 0, 2*len(l.small)), l.small[:]...)
	}
	l.more = append(l.more, *new(T))
	return &l.more[len(l.more)-1]
}

// drop takes the last item off again.
func (l *List[T]) drop() {
	all := l.All()
	all[len(all)-1] = *new(T)
	if l.more != nil {
		l.more = l.more[:len(all)-1]
	} else {
		l.n--
	}
}
