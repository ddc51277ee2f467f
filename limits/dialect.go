package limits

// A Dialect is a set of header fields that servers use together to report a limit.
type Dialect uint8

// The dialects, highest precedence first. 0 is the Dialect of a limit that no field reported.
const (
	_                 Dialect = iota
	DialectRateLimit          // RateLimit and RateLimit-Policy, drafts 08 and later
	DialectDraft07            // RateLimit and RateLimit-Policy, draft 07
	DialectTrio               // RateLimit-Limit, -Remaining and -Reset, drafts 00 to 06
	DialectNamed              // names with a label, such as X-RateLimit-Limit-Tokens, and vendors' own fields
	DialectXRateLimit         // X-RateLimit-*
	DialectXDashed            // X-Rate-Limit-*
	DialectPolicy             // RateLimit-Policy alone
)

// String returns the fields of the dialect, such as "RateLimit-*"; "unknown" if d is none of the constants.
func (d Dialect) String() string {
	if d > DialectPolicy {
		d = 0
	}
	return [...]string{
		"unknown", "RateLimit", "RateLimit (draft 07)", "RateLimit-*", "named fields", "X-RateLimit-*", "X-Rate-Limit-*", "RateLimit-Policy",
	}[d]
}
