package parse

import "errors"

// The reasons for which a field, or a part of it, is ignored. An *Error wraps exactly one of these.
var (
	// ErrSyntax means that the grammar does not allow a character at its place. A list or dictionary with
	// such an error is ignored as a whole (RFC 9651 §4.2).
	ErrSyntax = errors.New("unexpected character")

	// ErrTruncated means that the value ends too early: in a string, or after a comma.
	ErrTruncated = errors.New("unexpected end of the value")

	// ErrType means that a well-formed value has the wrong type, such as a String instead of a number.
	ErrType = errors.New("value of the wrong type")

	// ErrRange means that the field does not allow a number of this size, such as a negative quota or a
	// window of zero seconds.
	ErrRange = errors.New("number out of range")

	// ErrMissing means that an item lacks a required parameter, or that a field is present without a value.
	ErrMissing = errors.New("required value is missing")

	// ErrNumber means that a value is not a number in any form that the field allows.
	ErrNumber = errors.New("not a number")

	// ErrTime means that a value is not a time in any form that the field allows.
	ErrTime = errors.New("not a time")

	// ErrConflict means that a field has several values for one number. If they are on several lines the
	// strictest value is kept; if they are on one line none is.
	ErrConflict = errors.New("values contradict each other")

	// ErrTooLong means that a field is longer than MaxFieldLength, that a text in it is longer than MaxText, or that a number
	// has more digits than RFC 9651 §3.3 or MaxDigits allows.
	ErrTooLong = errors.New("too long")

	// ErrTooMany means that a field has more than MaxLines lines, MaxMembers members or MaxParameters
	// parameters, or that a header has more than MaxNamed limits with labels.
	ErrTooMany = errors.New("too many parts")
)

// An Error says why a field, or a part of it, was ignored. Its text may change. It has no part of the
// field's value, which could be a secret or hostile.
type Error struct {
	Field  string // the field's name
	Offset int    // in bytes, in the lines of the field joined by ", "; -1 if there is no single position
	Err    error  // one of the Err values of this package
}

// Error returns the field's name and the reason. The text may change.
func (e *Error) Error() string { return "parse: " + e.Field + ": " + e.Err.Error() }

// Unwrap returns e.Err.
func (e *Error) Unwrap() error { return e.Err }

// A fault says why a field, or a part of it, was ignored. It is an Error without the field's name.
type fault struct {
	offset int
	err    error
}

// note keeps the first fault of a field: it does nothing if f already has an error.
func (f *fault) note(offset int, err error) {
	if f.err == nil && err != nil {
		*f = fault{offset, err}
	}
}

// inLineAt returns f as arguments for note. f is about a line that begins at the offset base of the field.
func (f fault) inLineAt(base int) (int, error) {
	if f.offset < 0 {
		return f.offset, f.err
	}
	return base + f.offset, f.err
}

// allowsOtherGrammar reports whether the value may still be well formed in another grammar.
func (f fault) allowsOtherGrammar() bool {
	return errors.Is(f.err, ErrNumber) || errors.Is(f.err, ErrSyntax) || errors.Is(f.err, ErrTruncated)
}

// Budgets for one field of one response. A field that exceeds a budget is ignored, and reported as an Error that wraps
// ErrTooLong or ErrTooMany. No budget is below the minimum that RFC 9651 §3 requires of a parser, but MaxText
// for long Byte Sequences.
const (
	MaxFieldLength = 64 << 10 // bytes of all lines of a field together
	MaxLines       = 128      // lines of a field
	MaxMembers     = 1024     // members of a list or dictionary
	MaxParameters  = 256      // parameters of one item or inner list
	MaxText        = 1024     // bytes of a name, a unit or a partition key
	MaxDigits      = 100      // digits of a number outside of structured fields
	MaxNamed       = 64       // limits with a label in Fields.Rows, and Fields.Waits; any further ones are ignored
)

// separator joins the lines of a field (RFC 9110 §5.3).
const separator = ", "

func withinBudget(lines []string) error {
	if len(lines) > MaxLines {
		return ErrTooMany
	}
	total := 0
	for _, line := range lines {
		total += len(line)
		if total > MaxFieldLength {
			return ErrTooLong
		}
	}
	return nil
}
