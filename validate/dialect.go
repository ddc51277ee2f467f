package validate

import (
	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/parse"
)

// A source is the set of fields from which a limit comes.
type source struct {
	dialect limits.Dialect
	own     *parse.Names // the names of fields with a label or of a vendor; nil: the usual names of the dialect
}

// names returns the names of the fields that report the limit, for Problems.
func (s *source) names() parse.Names {
	if s.own != nil {
		return *s.own
	}
	switch s.dialect {
	case limits.DialectRateLimit, limits.DialectDraft07:
		return parse.Names{Limit: "RateLimit-Policy", Remaining: "RateLimit", Reset: "RateLimit"}
	case limits.DialectTrio:
		return parse.Names{Limit: "RateLimit-Limit", Remaining: "RateLimit-Remaining", Reset: "RateLimit-Reset"}
	case limits.DialectXRateLimit:
		return parse.Names{Limit: "X-RateLimit-Limit", Remaining: "X-RateLimit-Remaining", Reset: "X-RateLimit-Reset"}
	case limits.DialectXDashed:
		return parse.Names{Limit: "X-Rate-Limit-Limit", Remaining: "X-Rate-Limit-Remaining", Reset: "X-Rate-Limit-Reset"}
	default:
		return parse.Names{Limit: "RateLimit-Policy", Remaining: "RateLimit-Policy", Reset: "RateLimit-Policy"}
	}
}

// family returns the prefix for the name of a limit whose own name another limit has.
func (s *source) family() string {
	switch s.dialect {
	case limits.DialectNamed:
		return s.own.Limit
	case 0: // the caller's own limits
		return "own"
	case limits.DialectTrio:
		return "RateLimit"
	case limits.DialectXRateLimit:
		return "X-RateLimit"
	case limits.DialectXDashed:
		return "X-Rate-Limit"
	default: // not used for RateLimit: a repeated name there is the same limit
		return "RateLimit-Policy"
	}
}

// isStructured reports whether the names of limits come from the server and are unique.
func (s *source) isStructured() bool {
	return s.dialect == limits.DialectRateLimit || s.dialect == limits.DialectDraft07
}
