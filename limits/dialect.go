package limits

// A Dialect is the set of fields that told a limit.
type Dialect uint8

// The dialects, in the order of their precedence.
const (
	_                 Dialect = iota // of a limit that no response told
	DialectRateLimit                 // RateLimit and RateLimit-Policy, drafts 08 and later
	DialectDraft07                   // RateLimit and RateLimit-Policy, draft 07
	DialectTrio                      // RateLimit-Limit, -Remaining and -Reset, drafts 00 to 06
	DialectNamed                     // names with a label, such as X-RateLimit-Limit-Tokens, and vendors' own
	DialectXRateLimit                // X-RateLimit-*
	DialectXDashed                   // X-Rate-Limit-*
	DialectPolicy                    // RateLimit-Policy alone
)

// String names the fields of the dialect.
func (d Dialect) String() string {
	if d > DialectPolicy {
		d = 0
	}
	return [...]string{
		"unknown", "RateLimit", "RateLimit (draft 07)", "RateLimit-*", "named fields", "X-RateLimit-*", "X-Rate-Limit-*", "RateLimit-Policy",
	}[d]
}
