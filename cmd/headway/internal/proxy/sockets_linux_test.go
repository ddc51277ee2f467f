package proxy

import (
	"io"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// What a client reads shows on the proxy's side after some 100 KB, long before the proxy can write again.
func TestUnsent(t *testing.T) {
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	client, err := new(net.Dialer).DialContext(t.Context(), "tcp", listener.Addr().String())
	require.NoError(t, err)
	conn, err := listener.Accept()
	require.NoError(t, err)
	written := 0
	for written == 0 { // until there is no more room
		require.NoError(t, conn.SetWriteDeadline(time.Now().Add(50*time.Millisecond)))
		written, _ = conn.Write(make([]byte, 32<<20))
	}
	before := unsent(conn)
	require.Positive(t, before)
	require.Less(t, before, written)
	_, err = io.ReadFull(client, make([]byte, 200_000))
	require.NoError(t, err)
	require.Eventually(t, func() bool { return unsent(conn) < before }, 10*time.Second, time.Millisecond)
	require.NoError(t, conn.SetWriteDeadline(time.Now()))
	_, err = conn.Write([]byte{0})
	require.Error(t, err, "there is still no room")
	require.NoError(t, client.Close())
	require.NoError(t, conn.Close())
	require.NoError(t, listener.Close())
	require.Zero(t, unsent(conn), "it is closed")
}
