package validate

import (
	"errors"
	"strings"

	"github.com/headway-go/headway/parse"
)

// A Reason says what is wrong with a field and what was done about it. It is one of the constants below.
type Reason string

// The reasons for which a field is ignored or clamped.
const (
	// Malformed means that the field, or a part of it, was ignored because of its syntax. Err is the *parse.Error.
	Malformed Reason = "malformed"

	// Cached means that all limits were ignored because the response comes from a cache. Field is the
	// field that shows this.
	Cached Reason = "limits of a cached response are ignored"

	// TooLong means that a time was clamped to Bounds.MaxReset, or a window to MaxReset for each unit.
	TooLong Reason = "longer than MaxReset, clamped"

	// TooMany means that a quota or remaining quota was clamped to Bounds.MaxQuota.
	TooMany Reason = "more than MaxQuota, clamped"

	// TooFast means that a quota or remaining quota was clamped to what Bounds.MaxRate allows.
	TooFast Reason = "faster than MaxRate, clamped"

	// NoClock means that a point in time was ignored, because there is neither a usable Date nor a time
	// of receipt to measure it from.
	NoClock Reason = "a point in time without a Date, ignored"

	// TooFar means that a point in time was ignored that is more than a year ahead, by the response's Date
	// and by the time of receipt. If Bounds.MaxReset is longer, that counts instead of a year. The number counts something
	// else.
	TooFar Reason = "more than a year ahead, ignored"

	// Doubted means that a time without a unit was ignored: in seconds it would be more than an hour, and it may count
	// milliseconds.
	Doubted Reason = "more than an hour, or milliseconds: doubted"

	// Placeholder means that a number was ignored that means no limit on a response that is not refused:
	// a negative limit, a negative remaining quota, or a quota of 0.
	Placeholder Reason = "stands for no limit, ignored"

	// Repeated means that one limit was sent twice with different numbers. The stricter numbers count.
	Repeated Reason = "reported twice, the stricter counts"

	// Crowded means that a family of fields has more than MaxLimits limits, or all fields together have more policies. The
	// rest was ignored.
	Crowded Reason = "more than MaxLimits, the rest is ignored"
)

// A Problem is a field that was ignored or clamped, whole or in part. It is an error value for logging and inspection
// only: it never makes a response fail. It has no part of a header value, which could be a secret or hostile.
type Problem struct {
	Field  string // the field's name; Own for what the caller has read, "Profile.Limits" for what its profile documents
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

// problem adds a Problem of a field, whose name is spelled as in the drafts.
func (r *reader) problem(field string, why Reason) {
	field = strings.Replace(field, "Ratelimit", "RateLimit", 1)
	r.Problems = append(r.Problems, &Problem{Field: field, Reason: why})
}

func (r *reader) problemIf(isProblem bool, field string, why Reason) {
	if isProblem {
		r.problem(field, why)
	}
}

// malformed adds the errors of package parse to Problems.
func (r *reader) malformed(errs []*parse.Error) {
	for _, e := range errs {
		r.Problems = append(r.Problems, &Problem{Field: e.Field, Reason: Malformed, Err: e})
	}
}
