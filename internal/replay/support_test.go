package replay

import (
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

func broken([]byte) (int, error) { panic("broken") }

// emptyReads returns a reader whose first n Reads return no data and no error.
func emptyReads(n int) io.Reader {
	return readerFunc(func([]byte) (int, error) {
		if n--; n < 0 {
			return 0, io.EOF
		}
		return 0, nil
	})
}

// newStuckBody returns a body that has text at first. Then its Read blocks until Close, and returns io.ErrClosedPipe.
func newStuckBody(text string) io.ReadCloser {
	in, out := io.Pipe()
	go func() { _, _ = io.WriteString(out, text) }()
	return in
}
