package parse

import (
	"time"

	"github.com/headway-go/headway/limits"
)

// Unknown is the value of a number that no field reports. It is -1 and not 0, as a remaining quota of 0
// means that the quota is used up.
const Unknown = limits.Unknown

// Fields has the rate-limit header fields of one response. The fields are checked for syntax only. An absent or
// malformed field leaves its part zero. A malformed field adds to Problems, except Age and X-From-Cache, which count as
// absent.
type Fields struct {
	Rows []Row // the limits, in the order of their fields: RateLimit, RateLimit-Policy, separate fields

	// IsUsual means that Rows are one limit in a form that most servers send, and that there is nothing else. It is an item
	// of RateLimit and that of RateLimit-Policy with its name, or it is -Limit, -Remaining and -Reset of one family.
	IsUsual bool

	Waits []Wait // the times to wait, sorted by Kind and Label; at most MaxNamed

	Partition string        // RateLimit-Partition: the key of the limits in RateLimit and RateLimit-Policy that have no pk, as sent
	Age       time.Duration // Age (RFC 9111 §5.1): how long ago the origin made the response; the first value
	FromCache bool          // X-From-Cache: a cache inside the client sent the response
	Problems  []*Error      // the errors, at most one for each field

	named    int   // how many limits with labels are in Rows
	policies []Row // those of all -Limit fields; at most mostItems
	isFull   bool  // Problems has the ErrTooMany of these or of Waits
}

// A Row is what one item, or the separate fields of one limit, report of it.
type Row struct {
	// Family is the set of fields. DialectNamed are separate fields with a label in their names, such as
	// X-RateLimit-Remaining-Tokens and X-RateLimit-Limit-Minute, or a vendor's own.
	Family   limits.Dialect
	Names    Names  // of the fields
	Label    string // in lower case, such as "tokens", "minute" or "user"; of one of several policies its name, else such as "100;w=60"
	Position int    // index among the limits that the same fields list, from 0

	Name string      // of the policy: the item's; or -Bucket, -Resource, -Name, -Policy or -Rule; "" if there is none
	Key  string      // pk: the base64 text between the colons, as sent
	Unit limits.Unit // qu, or derived from the label; Requests if there is none

	Limit      int64         // q or -Limit; Unknown if absent or not a number
	Remaining  int64         // r or -Remaining, possibly negative; Unknown if absent: see HasRemaining
	Used       int64         // -Used; Unknown if absent
	Cost       int64         // c: what the request has used, above 0; Unknown if absent
	Reset      When          // t, -Reset or -ResetTime: the longer wait
	ResetAfter When          // -Reset-After, a delay unless it is an epoch or a date
	Window     time.Duration // w, -Period and the like, a -Limit such as 1m, or Limit divided by the refill rate; Unknown if absent

	IsPolicy     bool // it says what a limit allows, and not what is left: an item of RateLimit-Policy, or behind the number in -Limit
	HasRemaining bool // Remaining was sent; distinguishes a Remaining of -1 from Unknown
	IsPeriod     bool // Window is a number without a unit in a field for windows: -Period or the like
	Unlimited    bool // -Limit is negative, by which some servers report that there is no limit

	policies []Row // the policies in -Limit, behind those of earlier fields
}

// NewRow returns a Row of which nothing is known.
func NewRow() Row {
	return Row{Unit: limits.Requests, Limit: Unknown, Remaining: Unknown, Used: Unknown, Cost: Unknown, Window: Unknown}
}

// Names has the names, as sent, of the fields that report a limit. The name of a part that no field
// reports is the name of the limit's first field.
type Names struct {
	Limit     string // of the field with the quota or the window
	Remaining string // of the field with the remaining or used units
	Reset     string // of the field with the reset
}
