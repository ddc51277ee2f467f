package redisfleet

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/alicebob/miniredis/v2/server"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/fleet/internal/fleettest"
	"github.com/headway-go/headway/fleet/internal/store"
	"github.com/headway-go/headway/fleet/internal/store/storetest"
	"github.com/headway-go/headway/internal/test/kit/child"
)

// plain are the options of a client that reports its first error.
func plain(o redis.Options) *redis.Options {
	o.MaxRetries, o.DialerRetries = -1, 1
	return &o
}

// requireRenewal renews one partition, and requires an error with that text; "": none.
func requireRenewal(t *testing.T, client redis.UniversalClient, want string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	s := newRedisStore(client, "headway")
	all, err := s.Renew(ctx, "a", []store.Renewal{{Name: fleettest.Name, Record: "r", Keep: time.Minute}})
	if want != "" {
		require.ErrorContains(t, s.Explain(err), want)
		return
	}
	require.NoError(t, err)
	require.NoError(t, all[0].Err)
	if all[0].All != nil {
		require.NoError(t, storetest.Agree(t, s, store.Outcome{Claim: all[0].All.Claim, Ledger: "l", Gone: []string{"b"}, Agreements: map[string]string{"a": "A"}}))
	}
}

// A replica reads only, which scripts that write find out.
func TestReplica(t *testing.T) {
	binary := realRedis(t)
	if binary == "" {
		return
	}
	socket, _ := startRedis(t, binary, "--replicaof", "127.0.0.1 1", "--replica-serve-stale-data", "yes")
	requireRenewal(t, newClient(t, plain(redis.Options{Network: "unix", Addr: socket})), "READONLY")
}

// A server with TLS has the members that know its certificate.
func TestTLS(t *testing.T) {
	web := httptest.NewTLSServer(http.NotFoundHandler()) // it has a certificate for 127.0.0.1
	defer web.Close()
	roots := x509.NewCertPool()
	roots.AddCert(web.Certificate())
	m := miniredis.NewMiniRedis()
	require.NoError(t, m.StartTLS(&tls.Config{Certificates: web.TLS.Certificates, MinVersion: tls.VersionTLS12}))
	t.Cleanup(m.Close)
	knows, doesNot := &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}, &tls.Config{MinVersion: tls.VersionTLS12}
	requireRenewal(t, newClient(t, plain(redis.Options{Addr: m.Addr(), TLSConfig: knows})), "")
	requireRenewal(t, newClient(t, plain(redis.Options{Addr: m.Addr(), TLSConfig: doesNot})), "certificate")
}

// A server that never answers may expect TLS, or have none. One that has answered is neither.
func TestServerThatDoesNotAnswer(t *testing.T) {
	for _, row := range []struct {
		err      error
		answered bool
		explains bool
	}{
		{io.EOF, false, true}, // a plain client at a server with TLS
		{context.DeadlineExceeded, false, true},
		{syscall.ECONNREFUSED, false, false},
		{io.EOF, true, false},
	} {
		s := newRedisStore(nil, "headway")
		s.answered.Store(row.answered)
		got := s.Explain(row.err)
		require.ErrorIs(t, got, row.err)
		require.Equal(t, row.explains, strings.Contains(got.Error(), "TLS"), "%v", got)
	}
}

// A user needs the commands that the package documentation lists, and no more.
func TestACL(t *testing.T) {
	binary := realRedis(t)
	if binary == "" {
		return
	}
	socket, _ := startRedis(t, binary)
	admin := newClient(t, &redis.Options{Network: "unix", Addr: socket})
	doc, err := os.ReadFile("fleet.go")
	require.NoError(t, err)
	list := regexp.MustCompile(`needs the commands ([^.]*)\.`).FindStringSubmatch(strings.ReplaceAll(string(doc), "\n//", ""))
	require.NotNil(t, list)
	commands := regexp.MustCompile(`[A-Z]{3,}`).FindAllString(list[1], -1)
	require.Greater(t, len(commands), 8)
	user := func(name string, rules ...any) *redis.Client {
		require.NoError(t, admin.Do(t.Context(), append([]any{"ACL", "SETUSER", name, "reset", "on", ">hunter2", "~headway:*"}, rules...)...).Err())
		return newClient(t, plain(redis.Options{Network: "unix", Addr: socket, Username: name, Password: "hunter2"}))
	}
	var all []any
	for _, c := range commands {
		all = append(all, "+"+strings.ToLower(c))
	}
	requireRenewal(t, user("fleet", all...), "")
	for i, c := range commands {
		if slices.Contains([]string{"HEXISTS", "HDEL", "HSET", "EVAL", "EVALSHA", "DEL"}, c) {
			continue // not in every renewal
		}
		requireRenewal(t, user("without"+c, slices.Delete(slices.Clone(all), i, i+1)...), "command")
	}
	requireRenewal(t, user("nothing"), "NOPERM")
	requireRenewal(t, user("elsewhere", append(all, "resetkeys", "~other:*")...), "NOPERM")
	wrong := newClient(t, plain(redis.Options{Network: "unix", Addr: socket, Username: "fleet", Password: "wrong"}))
	requireRenewal(t, wrong, "the password is refused: WRONGPASS")
	require.NoError(t, admin.ConfigSet(t.Context(), "requirepass", "hunter2").Err())
	requireRenewal(t, newClient(t, plain(redis.Options{Network: "unix", Addr: socket})), "a password is expected: NOAUTH")
}

// Sentinel says which server is the primary. When it names another one, the client finds that, and the store fills again.
func TestSentinel(t *testing.T) {
	sentinel, first, second := miniredis.RunT(t), miniredis.RunT(t), miniredis.RunT(t)
	var primary atomic.Pointer[miniredis.Miniredis]
	primary.Store(first)
	require.NoError(t, sentinel.Server().Register("SENTINEL", func(p *server.Peer, _ string, args []string) {
		if len(args) > 0 && strings.EqualFold(args[0], "get-master-addr-by-name") {
			p.WriteStrings([]string{primary.Load().Host(), primary.Load().Port()})
			return
		}
		p.WriteLen(0) // no other sentinels, no replicas
	}))
	client := redis.NewFailoverClient(&redis.FailoverOptions{
		MasterName: "fleet", SentinelAddrs: []string{sentinel.Addr()}, MaxRetries: -1, DialerRetries: 1,
	})
	t.Cleanup(func() { _ = client.Close() })
	requireRenewal(t, client, "")
	require.NotEmpty(t, first.Keys())
	primary.Store(second)
	first.Close()
	requireRenewal(t, client, "")
	require.NotEmpty(t, second.Keys())
}

// A cluster of two real nodes refuses scripts that use other nodes' keys. When one node is lost, the partitions of the
// other one are still there.
func TestCluster(t *testing.T) {
	binary := realRedis(t)
	if binary == "" {
		return
	}
	halves := []redis.ClusterSlot{{Start: 0, End: 8191}, {Start: 8192, End: 16383}}
	var stop func()
	var nodes []*redis.Client
	for i := range halves {
		var socket string
		socket, stop = startRedis(t, binary, "--cluster-enabled", "yes", "--cluster-require-full-coverage", "no",
			"--bind", "127.0.0.1", "--cluster-port", strings.TrimPrefix(child.FreeAddress(t), "127.0.0.1:"))
		node := newClient(t, &redis.Options{Network: "unix", Addr: socket})
		require.NoError(t, node.ClusterAddSlotsRange(t.Context(), halves[i].Start, halves[i].End).Err())
		halves[i].Nodes = []redis.ClusterNode{{Addr: socket + ":0"}}
		nodes = append(nodes, node)
	}
	for _, node := range nodes {
		require.Eventually(t, func() bool { // the nodes need two seconds
			return strings.Contains(node.ClusterInfo(context.Background()).Val(), "cluster_state:ok")
		}, 20*time.Second, 50*time.Millisecond)
	}
	client := redis.NewClusterClient(&redis.ClusterOptions{
		DialerRetries: 1, MaxRedirects: 1, // the defaults retry for longer than a renewal may take
		ClusterSlots: func(context.Context) ([]redis.ClusterSlot, error) { return halves, nil },
		Dialer: func(ctx context.Context, _, addr string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", strings.TrimSuffix(addr, ":0"))
		},
	})
	t.Cleanup(func() { _ = client.Close() })
	s := newRedisStore(client, "p")
	storetest.RequireApart(t, s)

	there := make([]bool, 300)
	for i := range there {
		slot, err := client.ClusterKeySlot(t.Context(), s.key(storetest.NameOf(i))).Result()
		require.NoError(t, err)
		there[i] = slot <= int64(halves[0].End)
	}
	stop()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	all, err := s.Renew(ctx, "a", storetest.Renewals(300))
	require.NoError(t, err)
	var gone int
	for i := range all {
		require.Equal(t, there[i], all[i].Err == nil, "what is on the other node is there")
		if !there[i] {
			gone++
		}
	}
	require.Greater(t, gone, 100)
	require.Less(t, gone, 200)
}
