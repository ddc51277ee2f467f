package parse

import "errors"

// The reasons for which a field, or a part of it, is ignored. An *Error wraps
// exactly one of them.
var (
	// ErrSyntax means that a character stands where the grammar has no place
	// for it. A list or dictionary with one such error is ignored as a whole
	// (RFC 9651 §4.2).
	ErrSyntax = errors.New("unexpected character")

	// ErrTruncated means that the value ends in the middle of something: an
	// unclosed string, a trailing comma.
	ErrTruncated = errors.New("unexpected end of the value")

	// ErrDigits means that a number has more digits than RFC 9651 §3.3 or
	// MaxDigits allows.
	ErrDigits = errors.New("too many digits")

	// ErrType means that a well-formed value has another type than the field
	// asks for, such as a String where a number is expected.
	ErrType = errors.New("value of the wrong type")

	// ErrRange means that a number is outside of what it can mean, such as a
	// negative quota or a window of zero seconds.
	ErrRange = errors.New("number out of range")

	// ErrMissing means that an item lacks a parameter without which it says
	// nothing.
	ErrMissing = errors.New("required parameter is missing")

	// ErrEmpty means that a field is present without a value.
	ErrEmpty = errors.New("empty value")

	// ErrNumber means that a value is none of the numbers that the field may
	// hold.
	ErrNumber = errors.New("not a number")

	// ErrTime means that a value is none of the times that the field may hold.
	ErrTime = errors.New("not a time")

	// ErrConflict means that several values were sent for one number. The
	// strictest of several lines is kept; of several values in one line none.
	ErrConflict = errors.New("values contradict each other")

	// ErrTooLong means that a field is longer than MaxFieldLength, or a text
	// in it longer than MaxText.
	ErrTooLong = errors.New("too long")

	// ErrTooMany means that a field has more lines, members or parameters than
	// MaxLines, MaxMembers or MaxParameters.
	ErrTooMany = errors.New("too many parts")
)

// An Error says why a field, or a part of it, was ignored. Its text may change;
// it holds no field value, which could be a secret or hostile.
type Error struct {
	Field  string // the field's name
	Offset int    // in the joined field value, in bytes; −1 where no position can be named
	Err    error  // one of the package's error values
}

// Error names the field and the reason. The text may change.
func (e *Error) Error() string { return "parse: " + e.Field + ": " + e.Err.Error() }

// Unwrap returns e.Err.
func (e *Error) Unwrap() error { return e.Err }
