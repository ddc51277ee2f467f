package validate

import "github.com/headway-go/headway/parse"

// A Dialect is the set of fields that told a limit.
type Dialect uint8

// The dialects, in the order of their precedence.
const (
	_                 Dialect = iota // of a Limit that no response told
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

// A source is where numbers come from.
type source struct {
	dialect Dialect
	names   parse.Names // of the fields that tell the parts
	family  string      // what a limit is called whose own name is taken
}

// sourceOf is the source of a dialect whose fields are called the same everywhere.
func sourceOf(d Dialect) source {
	return source{d, [...]parse.Names{
		DialectRateLimit:  {Limit: "RateLimit-Policy", Remaining: "RateLimit", Reset: "RateLimit"},
		DialectDraft07:    {Limit: "RateLimit-Policy", Remaining: "RateLimit", Reset: "RateLimit"},
		DialectTrio:       {Limit: "RateLimit-Limit", Remaining: "RateLimit-Remaining", Reset: "RateLimit-Reset"},
		DialectXRateLimit: {Limit: "X-RateLimit-Limit", Remaining: "X-RateLimit-Remaining", Reset: "X-RateLimit-Reset"},
		DialectXDashed:    {Limit: "X-Rate-Limit-Limit", Remaining: "X-Rate-Limit-Remaining", Reset: "X-Rate-Limit-Reset"},
		DialectPolicy:     {Limit: "RateLimit-Policy", Remaining: "RateLimit-Policy", Reset: "RateLimit-Policy"},
	}[d], [...]string{
		DialectRateLimit: "RateLimit", DialectDraft07: "RateLimit", DialectTrio: "RateLimit",
		DialectXRateLimit: "X-RateLimit", DialectXDashed: "X-Rate-Limit", DialectPolicy: "RateLimit-Policy",
	}[d]}
}

// isStructured reports whether the names of limits are the server's, one each.
func (s *source) isStructured() bool {
	return s.dialect == DialectRateLimit || s.dialect == DialectDraft07
}
