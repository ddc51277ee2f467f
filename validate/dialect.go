package validate

import (
	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/parse"
)

// A source is where numbers come from.
type source struct {
	dialect limits.Dialect
	own     *parse.Names // of fields that are not called the same everywhere; nil: those of the dialect
}

// names are the fields that tell the parts of a limit. They are looked for only where there is a
// problem with them.
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

// family is what a limit is called whose own name is taken.
func (s *source) family() string {
	switch s.dialect {
	case limits.DialectNamed:
		return s.own.Limit
	case limits.DialectTrio:
		return "RateLimit"
	case limits.DialectXRateLimit:
		return "X-RateLimit"
	case limits.DialectXDashed:
		return "X-Rate-Limit"
	default: // RateLimit itself has no need of one: its names are the server's
		return "RateLimit-Policy"
	}
}

// isStructured reports whether the names of limits are the server's, one each.
func (s *source) isStructured() bool {
	return s.dialect == limits.DialectRateLimit || s.dialect == limits.DialectDraft07
}
