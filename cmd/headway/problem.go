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
	Sent        string `json:"sent"` // the field's value, made visible and cut off
}

// problems explains what was ignored or clamped, field by field.
func problems(r *validate.Reading, header http.Header) []problem {
	all := make([]problem, 0, len(r.Problems))
	for _, found := range r.Problems {
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
	slices.SortStableFunc(all, func(a, b problem) int { return strings.Compare(a.Field, b.Field) })
	return all
}

// sent is the value of a field, of several lines as if they were one.
func sent(header http.Header, field string) string {
	lines, ok := header[http.CanonicalHeaderKey(field)]
	for name, other := range header {
		if !ok && strings.EqualFold(name, field) {
			lines = other
		}
	}
	return strings.Join(lines, ", ")
}
