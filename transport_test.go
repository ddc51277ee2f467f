package headway_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
)

func TestZeroTransportWorks(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer server.Close()
	zero := &headway.Transport{}
	require.Same(t, http.DefaultTransport, zero.Unwrap())
	resp, err := kit.Get(t.Context(), zero, server.URL)
	require.NoError(t, err)
	require.Empty(t, kit.ReadAll(t, resp))
	zero.CloseIdleConnections()
}

// A closer is a Base that has a method CloseIdleConnections.
type closer struct {
	http.RoundTripper
	closed bool
}

func (c *closer) CloseIdleConnections() { c.closed = true }

func TestUnwrapAndCloseIdleConnections(t *testing.T) {
	base := &closer{}
	transport := &headway.Transport{Base: base}
	require.Same(t, base, transport.Unwrap())
	(&http.Client{Transport: transport}).CloseIdleConnections()
	require.True(t, base.closed)

	(&headway.Transport{Base: kit.InTurn()}).CloseIdleConnections() // this Base has no such method
}
