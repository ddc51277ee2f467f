package validate

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

// String returns how the names of the dialect's fields begin.
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
	named   [3]string // the fields that tell the parts, in DialectNamed
}

// isStructured reports whether the names of limits are the server's, one each.
func (s *source) isStructured() bool {
	return s.dialect == DialectRateLimit || s.dialect == DialectDraft07
}

// A part is one of the numbers of a limit, called as the fields are that tell
// it separately.
type part uint8

const (
	limitPart part = iota // quota and window
	remainingPart
	resetPart
)

// field returns the name of the field that tells a part.
func (s *source) field(p part) string {
	if s.dialect == DialectNamed {
		return s.named[p]
	}
	return [...][3]string{
		DialectRateLimit:  {"RateLimit-Policy", "RateLimit", "RateLimit"},
		DialectDraft07:    {"RateLimit-Policy", "RateLimit", "RateLimit"},
		DialectTrio:       {"RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"},
		DialectXRateLimit: {"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"},
		DialectXDashed:    {"X-Rate-Limit-Limit", "X-Rate-Limit-Remaining", "X-Rate-Limit-Reset"},
		DialectPolicy:     {"RateLimit-Policy", "RateLimit-Policy", "RateLimit-Policy"},
	}[s.dialect][p]
}

// family returns what a limit is called whose own name is taken.
func (s *source) family() string {
	switch s.dialect {
	case DialectNamed:
		return s.named[limitPart]
	case DialectXRateLimit:
		return "X-RateLimit"
	case DialectXDashed:
		return "X-Rate-Limit"
	case DialectPolicy:
		return "RateLimit-Policy"
	}
	return "RateLimit"
}
