package body

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A closer is a Trailer that closes its body while it is read, as a hook may do.
type closer struct {
	body  *Body
	reads int
}

func (c *closer) Read() {
	c.reads++
	_ = c.body.Close() // it is that of a NopCloser
}

func TestTrailerMayCloseTheBody(t *testing.T) {
	b := &Body{ReadCloser: io.NopCloser(strings.NewReader("text"))}
	trailer := &closer{body: b}
	b.Trailer = trailer
	text, err := io.ReadAll(b)
	require.NoError(t, err)
	require.Equal(t, "text", string(text))
	_, err = b.Read(make([]byte, 1))
	require.Equal(t, io.EOF, err)
	require.NoError(t, b.Close())
	require.Equal(t, 1, trailer.reads, "once")
}

// A body that is closed before its end has no trailer.
func TestTrailerOfAClosedBody(t *testing.T) {
	b := &Body{ReadCloser: io.NopCloser(strings.NewReader("text"))}
	trailer := &closer{body: b}
	b.Trailer = trailer
	require.NoError(t, b.Close())
	_, err := io.ReadAll(b)
	require.NoError(t, err)
	require.Zero(t, trailer.reads)
}
