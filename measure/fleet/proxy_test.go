//go:build unix

package main

import (
	"io"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// newEcho starts a server that sends back what it receives.
func newEcho(t *testing.T) (addr string) {
	t.Helper()
	var config net.ListenConfig
	l, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				_, _ = io.Copy(conn, conn)
				_ = conn.Close()
			}()
		}
	}()
	return l.Addr().String()
}

// echoes reports whether a connection to addr carries data in both directions.
func echoes(t *testing.T, addr string) bool {
	t.Helper()
	var d net.Dialer
	conn, err := d.DialContext(t.Context(), "tcp", addr)
	if err != nil {
		return false
	}
	defer func() { _ = conn.Close() }()
	if _, err := conn.Write([]byte("hello")); err != nil {
		return false
	}
	answer := make([]byte, 5)
	_, err = io.ReadFull(conn, answer)
	return err == nil && string(answer) == "hello"
}

func TestProxyOpensAndCloses(t *testing.T) {
	p, err := newProxy(newEcho(t))
	require.NoError(t, err)
	addr := p.addr
	require.True(t, echoes(t, addr))

	var d net.Dialer
	conn, err := d.DialContext(t.Context(), "tcp", addr)
	require.NoError(t, err)
	_, err = conn.Write([]byte("x"))
	require.NoError(t, err)
	_, err = io.ReadFull(conn, make([]byte, 1))
	require.NoError(t, err)
	p.close()
	_, err = conn.Read(make([]byte, 1))
	require.Error(t, err, "it is cut")
	require.NoError(t, conn.Close())
	require.False(t, echoes(t, addr))

	require.NoError(t, p.open())
	require.Equal(t, addr, p.addr)
	require.True(t, echoes(t, addr))
	p.close()
	require.Empty(t, p.conns)
}

func TestProxyOfBadNetworkDropsSomeAtOnceAndTheOthersLater(t *testing.T) {
	p, err := newProxy(newEcho(t))
	require.NoError(t, err)
	defer p.close()
	p.worsen(0, time.Hour)
	through := 0
	for range 100 {
		if echoes(t, p.addr) {
			through++
		}
	}
	require.Equal(t, 100, through+p.dropped())
	require.Greater(t, p.dropped(), 20)
	require.Less(t, p.dropped(), 80)

	p.worsen(0, time.Nanosecond)
	for range 10 {
		var d net.Dialer
		conn, err := d.DialContext(t.Context(), "tcp", p.addr)
		require.NoError(t, err)
		_, err = conn.Read(make([]byte, 1))
		require.Error(t, err, "nothing lasts")
		require.NoError(t, conn.Close())
	}
}
