package kit

import (
	"io"
	"strings"
)

// A TrackedBody counts how often it was closed.
type TrackedBody struct {
	io.Reader
	Closed int
}

// NewTrackedBody returns a body with that text.
func NewTrackedBody(text string) *TrackedBody { return &TrackedBody{Reader: strings.NewReader(text)} }

// Close implements [io.Closer].
func (b *TrackedBody) Close() error {
	b.Closed++
	return nil
}
