package body

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A hook that hears of a trailer may close the body.
func TestTrailerMayCloseTheBody(t *testing.T) {
	b, reads := &Body{ReadCloser: io.NopCloser(strings.NewReader("text"))}, 0
	b.Trailer = func() {
		reads++
		_ = b.Close() // it is that of a NopCloser
	}
	text, err := io.ReadAll(b)
	require.NoError(t, err)
	require.Equal(t, "text", string(text))
	_, err = b.Read(make([]byte, 1))
	require.Equal(t, io.EOF, err)
	require.NoError(t, b.Close())
	require.Equal(t, 1, reads, "once")
}

// A body that is closed before its end has no trailer.
func TestTrailerOfAClosedBody(t *testing.T) {
	b := &Body{ReadCloser: io.NopCloser(strings.NewReader("text"))}
	b.Trailer = func() { t.Error("the trailer was read") }
	require.NoError(t, b.Close())
	_, err := io.ReadAll(b)
	require.NoError(t, err)
}
