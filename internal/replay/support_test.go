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

// a trackedBody tells how often it was closed.
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
