package parse

import "errors"

// The reasons for which a field, or a part of it, is ignored. An *Error wraps exactly one of these.
var (
	// ErrSyntax means that the grammar does not allow a character at its place. A list or dictionary with
	// such an error is ignored as a whole (RFC 9651 §4.2).
	ErrSyntax = errors.New("unexpected character")

	// ErrTruncated means that the value ends too early: in a string, or after a comma.
	ErrTruncated = errors.New("unexpected end of the value")

	// ErrDigits means that a number has more digits than RFC 9651 §3.3 or MaxDigits allows.
	ErrDigits = errors.New("too many digits")

	// ErrType means that a well-formed value has the wrong type, such as a String instead of a number.
	ErrType = errors.New("value of the wrong type")

	// ErrRange means that the field does not allow a number of this size, such as a negative quota or a
	// window of zero seconds.
	ErrRange = errors.New("number out of range")

	// ErrMissing means that an item lacks a required parameter.
	ErrMissing = errors.New("required parameter is missing")

	// ErrEmpty means that a field is present without a value.
	ErrEmpty = errors.New("empty value")

	// ErrNumber means that a value is not a number in any form that the field allows.
	ErrNumber = errors.New("not a number")

	// ErrTime means that a value is not a time in any form that the field allows.
	ErrTime = errors.New("not a time")

	// ErrConflict means that a field has several values for one number. If they are on several lines the
	// strictest value is kept; if they are on one line none is.
	ErrConflict = errors.New("values contradict each other")

	// ErrTooLong means that a field is longer than MaxFieldLength, or that a text in it is longer than
	// MaxText.
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
