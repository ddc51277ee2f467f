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
	own     *parse.Names // of fields that are not called the same everywhere; nil: those of the dialect
}

// names are the fields that tell the parts of a limit.
func (s *source) names() parse.Names {
	if s.own != nil {
		return *s.own
	}
	switch s.dialect {
	case DialectRateLimit, DialectDraft07:
		return parse.Names{Limit: "RateLimit-Policy", Remaining: "RateLimit", Reset: "RateLimit"}
	case DialectTrio:
		return parse.Names{Limit: "RateLimit-Limit", Remaining: "RateLimit-Remaining", Reset: "RateLimit-Reset"}
	case DialectXRateLimit:
		return parse.Names{Limit: "X-RateLimit-Limit", Remaining: "X-RateLimit-Remaining", Reset: "X-RateLimit-Reset"}
	case DialectXDashed:
		return parse.Names{Limit: "X-Rate-Limit-Limit", Remaining: "X-Rate-Limit-Remaining", Reset: "X-Rate-Limit-Reset"}
	default:
		return parse.Names{Limit: "RateLimit-Policy", Remaining: "RateLimit-Policy", Reset: "RateLimit-Policy"}
	}
}

// family is what a limit is called whose own name is taken.
func (s *source) family() string {
	switch s.dialect {
	case DialectNamed:
		return s.own.Limit
	case DialectTrio:
		return "RateLimit"
	case DialectXRateLimit:
		return "X-RateLimit"
	case DialectXDashed:
		return "X-Rate-Limit"
	default: // RateLimit itself has no need of one: its names are the server's
		return "RateLimit-Policy"
	}
}

// isStructured reports whether the names of limits are the server's, one each.
func (s *source) isStructured() bool {
	return s.dialect == DialectRateLimit || s.dialect == DialectDraft07
}
