package parse

import "errors"

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

// asError returns f as an *Error for the field called name; nil if there is no fault.
func (f fault) asError(name string) error {
	if f.err == nil {
		return nil
	}
	return &Error{Field: name, Offset: f.offset, Err: f.err}
}
