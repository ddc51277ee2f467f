package fleet

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/alicebob/miniredis/v2/server"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/test/kit"
)

// TestOperatorsTable ties each row of docs/fleets.md that says what happens when something goes wrong to the tests that hold it.
func TestOperatorsTable(t *testing.T) {
	tests := map[string][]string{
		"the store restarts empty, or is emptied":                         {"TestStoreLost", "TestFaults", "TestRestart"},
		"it stands still, or cannot be reached":                           {"TestStoreLost", "TestStoreNeverReachable", "TestFaults"},
		"it can only be read: a replica, or a primary that lost its disk": {"TestStoreLost", "TestReplica"},
		"it answers nonsense: wrong values, wrong types, other versions":  {"TestStoreLost", "TestStoreHostile", "TestRedisStoreForeignType"},
		"it forgets keys or scripts, as with `maxmemory`":                 {"TestStoreLost", "TestRedisStoreSendsScripts", "TestRedisStoreForgetsUnrenewedPartitions"},
		"it needs TLS":                              {"TestTLS"},
		"it needs a password or a user (ACL)":       {"TestACL", "TestStoreLost"},
		"Sentinel makes another server the primary": {"TestSentinel"},
		"Cluster: one node is lost":                 {"TestRedisStoreCluster"},
		"its clock jumps by an hour":                {"TestStoreLost", "TestRedisStoreClockSet", "TestStoreClockJumpsInAHold"},
		"a member's clock is an hour off":           {"TestMembersWithOtherClocks", "TestClock"},
		"8 processes become 24":                     {"TestEightBecomeTwentyFour", "TestSharesFollow"},
		"a process crashes":                         {"TestSharesFollow", "TestFleet"},
	}
	kit.RequireRowsTested(t, "../docs/fleets.md", tests, ".")
}

// plain are the options of a client that reports its first error.
func plain(o redis.Options) *redis.Options {
	o.MaxRetries, o.DialerRetries = -1, 1
	return &o
}

// require1 renews one partition, and requires an error with that text; "": none.
func require1(t *testing.T, client redis.UniversalClient, want string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*renewEvery)
	defer cancel()
	s := newRedisStore(client, "headway")
	all, err := s.renew(ctx, "a", []renewal{{testName, "r", time.Minute}})
	if want != "" {
		require.ErrorContains(t, err, want)
		return
	}
	require.NoError(t, err)
	require.NoError(t, all[0].err)
	if all[0].all != nil {
		require.NoError(t, agreeOnce(t, s, outcome{name: testName, claim: all[0].all.claim, ledger: "l", gone: []string{"b"}, agreements: map[string]string{"a": "A"}}))
	}
}

// A real server that is killed and started again has neither hashes nor scripts. A client of before the restart goes on.
func TestRestart(t *testing.T) {
	binary := realRedis(t)
	if binary == "" {
		return
	}
	socket, stop := startRedis(t, binary)
	client := newClient(t, plain(redis.Options{Addr: "redis.test", Dialer: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	}}))
	require1(t, client, "")
	stop()
	require1(t, client, "connect")
	socket, _ = startRedis(t, binary)
	require1(t, client, "")
}

// A replica reads only, which scripts that write find out.
func TestReplica(t *testing.T) {
	binary := realRedis(t)
	if binary == "" {
		return
	}
	socket, _ := startRedis(t, binary, "--replicaof", "127.0.0.1 1", "--replica-serve-stale-data", "yes")
	require1(t, newClient(t, plain(redis.Options{Network: "unix", Addr: socket})), "READONLY")
}

// A server with TLS has the members that know its certificate.
func TestTLS(t *testing.T) {
	certificate := httptestCertificate(t)
	m := miniredis.NewMiniRedis()
	require.NoError(t, m.StartTLS(&tls.Config{Certificates: []tls.Certificate{certificate.own}, MinVersion: tls.VersionTLS12}))
	t.Cleanup(m.Close)
	require1(t, newClient(t, plain(redis.Options{Addr: m.Addr(), TLSConfig: &tls.Config{RootCAs: certificate.roots, MinVersion: tls.VersionTLS12}})), "")
	require1(t, newClient(t, plain(redis.Options{Addr: m.Addr(), TLSConfig: &tls.Config{MinVersion: tls.VersionTLS12}})), "certificate")
	o, err := redis.ParseURL("rediss://" + m.Addr())
	require.NoError(t, err)
	require.NotNil(t, o.TLSConfig)
}

// A certified is a server's certificate, and what its clients trust.
type certified struct {
	own   tls.Certificate
	roots *x509.CertPool
}

// httptestCertificate is the certificate for 127.0.0.1 that package httptest has.
func httptestCertificate(t *testing.T) certified {
	t.Helper()
	s := httptest.NewTLSServer(http.NotFoundHandler())
	defer s.Close()
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	return certified{s.TLS.Certificates[0], roots}
}

// A user needs the commands that the package documentation lists, and no more.
func TestACL(t *testing.T) {
	binary := realRedis(t)
	if binary == "" {
		return
	}
	socket, _ := startRedis(t, binary)
	admin := newClient(t, &redis.Options{Network: "unix", Addr: socket})
	doc, err := os.ReadFile("doc.go")
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
	require1(t, user("fleet", all...), "")
	for i, c := range commands {
		if slices.Contains([]string{"HEXISTS", "HDEL", "HSET", "EVAL", "EVALSHA", "DEL"}, c) {
			continue // not in every renewal
		}
		require1(t, user("without"+c, slices.Delete(slices.Clone(all), i, i+1)...), "command")
	}
	require1(t, user("nothing"), "NOPERM")
	require1(t, user("elsewhere", append(all, "resetkeys", "~other:*")...), "NOPERM")
	wrong := newClient(t, plain(redis.Options{Network: "unix", Addr: socket, Username: "fleet", Password: "wrong"}))
	require1(t, wrong, "WRONGPASS")
	require.NoError(t, admin.ConfigSet(t.Context(), "requirepass", "hunter2").Err())
	require1(t, newClient(t, plain(redis.Options{Network: "unix", Addr: socket})), "NOAUTH")
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
	require1(t, client, "")
	require.NotEmpty(t, first.Keys())
	primary.Store(second)
	first.Close()
	require1(t, client, "")
	require.NotEmpty(t, second.Keys())
}

// Two members whose clocks differ by an hour mean the same moment, as each knows the store's time.
func TestMembersWithOtherClocks(t *testing.T) {
	for _, off := range []time.Duration{0, time.Hour, -time.Hour} {
		store := synthetic.UnixMilli()
		var right, wrong clock
		right.set(store, synthetic, synthetic)
		wrong.set(store, synthetic.Add(off), synthetic.Add(off))
		const held = 10 * time.Second
		require.Equal(t, held, wrong.until(right.after(synthetic, held), synthetic.Add(off)))
		require.Equal(t, held, right.until(wrong.after(synthetic.Add(off), held), synthetic))
	}
}

// 16 processes join 8 busy ones. Few requests are refused while they do, and then all 24 have the same share.
func TestEightBecomeTwentyFour(t *testing.T) {
	const window, joined = time.Minute, 2 * time.Minute
	for _, algorithm := range []algorithm{fixed, linear} {
		t.Run(algorithm.name, func(t *testing.T) {
			processes := make([]process, 24)
			for i := range processes {
				processes[i].to = 5 * window
				if i >= 8 {
					processes[i].from = joined + time.Duration(i-8)*time.Second
				}
			}
			while := scenario{algorithm: algorithm, quota: 24 * 30, window: window, from: window, to: 5 * window, processes: processes}
			after := while
			after.from = 4 * window
			f, g := while.run(t, 0), after.run(t, 0)
			t.Logf("\nfrom the second window on %v\nwhen all are there         %v", f, g)
			f.require(t, figures{refused: 10, used: 0.95})
			g.require(t, figures{refused: 5, used: 0.95, jain: 0.97})
		})
	}
}
