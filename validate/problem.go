package validate

import (
	"errors"

	"github.com/headway-go/headway/parse"
)

// A Reason says what is wrong with a field and what was done about it. It is
// one of the constants below.
type Reason string

// The reasons for which a field is ignored or clamped.
const (
	// Malformed means that the field or a part of it was ignored because of its
	// syntax. Err is the *parse.Error.
	Malformed Reason = "malformed"

	// Cached means that all limits were ignored, because the response comes
	// from a cache. Field is the field that tells so.
	Cached Reason = "limits of a cached response are ignored"

	// TooLong means that a time was clamped to Bounds.MaxReset.
	TooLong Reason = "longer than MaxReset, clamped"

	// TooMany means that a count was clamped to Bounds.MaxQuota.
	TooMany Reason = "more than MaxQuota, clamped"

	// TooFast means that a count was clamped so as to allow no more than
	// Bounds.MaxRate.
	TooFast Reason = "faster than MaxRate, clamped"

	// NoClock means that a point in time was ignored, because there is no time
	// to measure it against: no usable Date, and no time of receipt.
	NoClock Reason = "a point in time without a Date, ignored"

	// Placeholder means that a number was ignored which stands for no limit on a
	// response that is not refused: a negative limit or remaining, a quota of 0.
	Placeholder Reason = "stands for no limit, ignored"

	// Ambiguous means that several policies that differ belong to the same
	// name or numbers; what they differ in was ignored.
	Ambiguous Reason = "several policies match, ignored"

	// Repeated means that one limit was told twice with different numbers; the
	// stricter ones were kept.
	Repeated Reason = "told twice, the stricter is kept"

	// Crowded means that a field names more than MaxLimits limits or policies;
	// those after them were ignored.
	Crowded Reason = "more than MaxLimits, the rest is ignored"
)

// A Problem is a field that was ignored or clamped, whole or in part. It is an
// error so that it can be logged and inspected like one; it never makes a
// response fail. No part of it holds a header value, which could be a secret or
// hostile.
type Problem struct {
	Field  string // the field's name
	Reason Reason // what is wrong and what was done
	Err    error  // *parse.Error if Reason is Malformed, else nil
}

// Error describes the problem. The text may change.
func (p *Problem) Error() string {
	text := "validate: " + p.Field + ": " + string(p.Reason)
	if cause := errors.Unwrap(p.Err); cause != nil {
		text += ": " + cause.Error()
	}
	return text
}

// Unwrap returns p.Err.
func (p *Problem) Unwrap() error { return p.Err }

func (r *reader) problem(field string, why Reason) {
	r.Problems = append(r.Problems, &Problem{Field: field, Reason: why})
}

// malformed reports what parse had to ignore.
func (r *reader) malformed(errs []*parse.Error) {
	for _, e := range errs {
		r.Problems = append(r.Problems, &Problem{Field: e.Field, Reason: Malformed, Err: e})
	}
}
