package redisfleet

import (
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/alicebob/miniredis/v2/server"
	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/fleet/internal/fleettest"
	"github.com/headway-go/headway/internal/share"
	"github.com/headway-go/headway/internal/test/kit/child"
)

// eachRedis runs f against miniredis, and against a real server if one is installed. With
// HEADWAY_REDIS=required it must be installed.
func eachRedis(t *testing.T, f func(t *testing.T, client *redis.Client)) {
	t.Helper()
	t.Run("miniredis", func(t *testing.T) {
		m := miniredis.RunT(t)
		f(t, newClient(t, &redis.Options{Addr: m.Addr()}))
	})
	if binary := realRedis(t); binary != "" {
		t.Run(filepath.Base(binary), func(t *testing.T) {
			socket, _ := startRedis(t, binary)
			f(t, newClient(t, &redis.Options{Network: "unix", Addr: socket}))
		})
	}
}

// realRedis returns the path of a real server. If none is installed, it logs that and returns "".
func realRedis(t *testing.T) string {
	t.Helper()
	if path := child.Find("redis-server", "valkey-server"); path != "" {
		return path
	}
	require.NotEqual(t, "required", os.Getenv("HEADWAY_REDIS"), "there is no redis-server or valkey-server")
	t.Log("there is no redis-server or valkey-server: tested with miniredis only")
	return ""
}

// startRedis starts a server and returns its socket. The server ends with the test, or when stop is called.
func startRedis(t *testing.T, binary string, options ...string) (socket string, stop func()) {
	t.Helper()
	dir, err := os.MkdirTemp("", "headway") //nolint:usetesting // paths of sockets must be short
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	socket = filepath.Join(dir, "redis")
	args := append([]string{"--port", "0", "--unixsocket", socket, "--dir", dir, "--save", "", "--appendonly", "no"}, options...)
	p, _ := child.Start(t, exec.CommandContext(context.Background(), binary, args...), func(line string) string {
		if strings.Contains(strings.ToLower(line), "ready to accept connections") {
			return socket
		}
		return ""
	})
	return socket, func() { p.End() }
}

// newClient returns a client with the usual settings, but without background goroutines, for which a synctest
// bubble would wait.
func newClient(t *testing.T, o *redis.Options) *redis.Client {
	t.Helper()
	o.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	client := redis.NewClient(o)
	t.Cleanup(func() { _ = client.Close() })
	return client
}

// A bubbleRedis is a miniredis in a synctest bubble that can fail on request.
type bubbleRedis struct {
	*miniredis.Miniredis

	conns   sync.Map // of clients, the keys
	refuses atomic.Bool
	shift   atomic.Int64                                                 // of its clock, in nanoseconds
	instead atomic.Pointer[func(p *server.Peer, cmd string) (done bool)] // replaces running a script
}

func newBubbleRedis(t *testing.T) *bubbleRedis {
	t.Helper()
	b := &bubbleRedis{Miniredis: miniredis.NewMiniRedis()}
	b.ClockTTL(true)
	conn, err := b.Dial() // starts the connection
	require.NoError(t, err)
	require.NoError(t, conn.Close())
	b.Server().SetPreHook(func(p *server.Peer, cmd string, _ ...string) bool {
		if !strings.HasPrefix(strings.ToUpper(cmd), "EVAL") {
			return false
		}
		if instead := b.instead.Load(); instead != nil && (*instead)(p, cmd) {
			return true
		}
		if shift := b.shift.Load(); shift != 0 {
			b.SetTime(time.Now().Add(time.Duration(shift)))
		}
		return false
	})
	t.Cleanup(func() {
		b.Close()
		time.Sleep(10 * time.Second) // clients have given up by then; the bubble waits for their goroutines
	})
	return b
}

// answer replaces the running of scripts by f; nil: they run.
func (b *bubbleRedis) answer(f func(p *server.Peer, cmd string) (done bool)) {
	if f == nil {
		b.instead.Store(nil)
		return
	}
	b.instead.Store(&f)
}

// client returns a new client with the defaults that programs use.
func (b *bubbleRedis) client(t *testing.T) *redis.Client {
	t.Helper()
	return newClient(t, &redis.Options{Addr: "redis.test:6379", Dialer: func(context.Context, string, string) (net.Conn, error) {
		if b.refuses.Load() {
			return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
		}
		conn, err := b.Dial()
		b.conns.Store(conn, nil)
		return conn, err
	}})
}

// refuse breaks all connections and refuses new ones.
func (b *bubbleRedis) refuse() {
	b.refuses.Store(true)
	b.conns.Range(func(conn, _ any) bool {
		_ = conn.(net.Conn).Close()
		b.conns.Delete(conn)
		return true
	})
}

// Fleet implements fleettest.Store.
func (b *bubbleRedis) Fleet(t *testing.T) share.Fleet {
	t.Helper()
	f, err := New(b.client(t), Options{Key: []byte(fleettest.Key)})
	require.NoError(t, err)
	t.Cleanup(func() { _ = f.Close() })
	return f
}
