package validate

import (
	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/parse"
)

// A source is the set of fields from which a limit comes, with their names for Problems.
type source struct {
	dialect limits.Dialect
	names   parse.Names
}

// sourceOf returns the source of a dialect whose fields have fixed names.
func sourceOf(d limits.Dialect) source { return source{d, families[d].fields} }

// families is the table of dialects whose fields have fixed names: the prefix for the name of a limit whose own name another
// limit has, and the fields. RateLimit needs no prefix, as a repeated name there is the same limit.
//
//nolint:gochecknoglobals // a table, which never changes
var families = [...]struct {
	prefix string
	fields parse.Names
}{
	limits.DialectRateLimit:  {"", parse.Names{Limit: "RateLimit-Policy", Remaining: "RateLimit", Reset: "RateLimit"}},
	limits.DialectDraft07:    {"", parse.Names{Limit: "RateLimit-Policy", Remaining: "RateLimit", Reset: "RateLimit"}},
	limits.DialectTrio:       {"RateLimit", parse.Names{Limit: "RateLimit-Limit", Remaining: "RateLimit-Remaining", Reset: "RateLimit-Reset"}},
	limits.DialectXRateLimit: {"X-RateLimit", parse.Names{Limit: "X-RateLimit-Limit", Remaining: "X-RateLimit-Remaining", Reset: "X-RateLimit-Reset"}},
	limits.DialectXDashed:    {"X-Rate-Limit", parse.Names{Limit: "X-Rate-Limit-Limit", Remaining: "X-Rate-Limit-Remaining", Reset: "X-Rate-Limit-Reset"}},
	limits.DialectPolicy:     {"RateLimit-Policy", parse.Names{Limit: "RateLimit-Policy", Remaining: "RateLimit-Policy", Reset: "RateLimit-Policy"}},
}

// family returns the prefix for the name of a limit whose own name another limit has.
func (s *source) family() string {
	switch s.dialect {
	case 0: // the caller's own limits
		return "own"
	case limits.DialectNamed:
		return s.names.Limit
	}
	return families[s.dialect].prefix
}

// isStructured reports whether the names of limits come from the server and are unique.
func (s *source) isStructured() bool {
	return s.dialect == limits.DialectRateLimit || s.dialect == limits.DialectDraft07
}
