package parse

import "errors"

// A fault is why a field or a part of it was ignored, before it is known which
// field.
type fault struct {
	offset int
	err    error
}

// note keeps the first fault of a field.
func (f *fault) note(offset int, err error) {
	if f.err == nil && err != nil {
		*f = fault{offset, err}
	}
}

// from returns f for note, in a line that begins at base.
func (f fault) from(base int) (int, error) {
	if f.offset < 0 {
		return f.offset, f.err
	}
	return base + f.offset, f.err
}

// otherGrammar reports whether f leaves room for reading the value as something
// else.
func (f fault) otherGrammar() bool {
	return errors.Is(f.err, ErrNumber) || errors.Is(f.err, ErrSyntax) || errors.Is(f.err, ErrTruncated)
}

// in returns f as an *Error of the field called name, or nil.
func (f fault) in(name string) error {
	if f.err == nil {
		return nil
	}
	return &Error{Field: name, Offset: f.offset, Err: f.err}
}
