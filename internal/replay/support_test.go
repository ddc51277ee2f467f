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

// The Read of a stuckBody returns text first, and then blocks until Close.
type stuckBody struct {
	text   *strings.Reader
	closed chan struct{}
}

var errStuckClosed = errors.New("closed")

func newStuckBody(text string) *stuckBody {
	return &stuckBody{text: strings.NewReader(text), closed: make(chan struct{})}
}

func (b *stuckBody) Read(p []byte) (int, error) {
	if b.text.Len() > 0 {
		return b.text.Read(p)
	}
	<-b.closed
	return 0, errStuckClosed
}

func (b *stuckBody) Close() error {
	close(b.closed)
	return nil
}
