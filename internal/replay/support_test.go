package replay

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func newRequest(tb testing.TB) *http.Request {
	tb.Helper()
	req, err := http.NewRequestWithContext(tb.Context(), http.MethodGet, "https://api.example.com/things", http.NoBody)
	require.NoError(tb, err)
	return req
}

// A trackedBody counts how often it was closed.
type trackedBody struct {
	io.Reader
	closed int
}

func newTrackedBody(text string) *trackedBody { return &trackedBody{Reader: strings.NewReader(text)} }

func (b *trackedBody) Close() error {
	b.closed++
	return nil
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// The Read of a stuckBody blocks until Close.
type stuckBody struct{ closed chan struct{} }

var errStuckClosed = errors.New("closed")

func newStuckBody() *stuckBody { return &stuckBody{closed: make(chan struct{})} }

func (b *stuckBody) Read([]byte) (int, error) {
	<-b.closed
	return 0, errStuckClosed
}

func (b *stuckBody) Close() error {
	close(b.closed)
	return nil
}

// after returns a body that returns text and then blocks.
func (b *stuckBody) after(text string) io.ReadCloser {
	return struct {
		io.Reader
		io.Closer
	}{io.MultiReader(strings.NewReader(text), b), b}
}
