package main

import (
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/headway-go/headway/parse"
	"github.com/headway-go/headway/validate"
)

// A problem is a field that was ignored or clamped, whole or in part.
type problem struct {
	Field       string `json:"field"`
	Reason      string `json:"reason"`
	Cause       string `json:"cause"`  // of a malformed field; "" for others
	Offset      count  `json:"offset"` // in the field's value, in bytes
	Explanation string `json:"explanation"`
	Sent        string `json:"sent"` // the field's value, escaped and cut
}

// mostProblems bounds the list of problems.
const mostProblems = 50

// problems explains, field by field, what was ignored or clamped, up to mostProblems.
func problems(r *validate.Reading, header http.Header) []problem {
	sorted := slices.Clone(r.Problems)
	slices.SortStableFunc(sorted, func(a, b *validate.Problem) int { return strings.Compare(a.Field, b.Field) })
	listed := sorted[:min(len(sorted), mostProblems)]
	all := make([]problem, 0, len(listed))
	for _, found := range listed {
		why := explainReason(found.Reason)
		p := problem{
			Field: visible(found.Field, longText), Reason: why.code, Explanation: why.text, Offset: count(unknown),
			Sent: visible(sent(header, found.Field), longText),
		}
		if e, ok := errors.AsType[*parse.Error](found.Err); ok {
			cause := explainCause(e.Err)
			p.Cause, p.Offset, p.Explanation = cause.code, count(e.Offset), cause.text+"; "+why.text
		}
		all = append(all, p)
	}
	return all
}

// sent returns the value of a field. Several field lines are joined.
func sent(header http.Header, field string) string {
	if lines, ok := header[http.CanonicalHeaderKey(field)]; ok {
		return strings.Join(lines, ", ")
	}
	for name, lines := range header {
		if strings.EqualFold(name, field) {
			return strings.Join(lines, ", ")
		}
	}
	return ""
}
