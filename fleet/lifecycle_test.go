package fleet

import (
	"context"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alicebob/miniredis/v2/server"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/ratelimittest"
)

func TestNewNeedsAClientAndAKey(t *testing.T) {
	client := redis.NewClient(&redis.Options{})
	t.Cleanup(func() { _ = client.Close() })
	_, err := New(nil, Options{Key: []byte(testKey)})
	require.ErrorContains(t, err, "client is nil")
	_, err = New(client, Options{Key: []byte(testKey[1:])})
	require.ErrorIs(t, err, ErrKey)
	require.NotContains(t, err.Error(), testKey[1:], "the key is a secret")
	f, err := New(client, Options{Key: []byte(testKey)})
	require.NoError(t, err)
	require.NoError(t, f.Close())
}

// user returns a Transport of a fleet.
func user(f *Fleet, service http.Handler) *headway.Transport {
	return &headway.Transport{Base: &ratelimittest.Transport{Handler: service}, Fleet: f}
}

// use makes a request a second through each Transport.
func use(t *testing.T, seconds int, all ...*headway.Transport) {
	t.Helper()
	for range seconds {
		for _, tr := range all {
			status, err := get(t.Context(), tr)
			require.NoError(t, err)
			require.Equal(t, http.StatusOK, status)
		}
		time.Sleep(time.Second)
	}
}

// requireMembers requires that n members share the partition of each Transport; 0: no store says how many.
func requireMembers(t *testing.T, n int, all ...*headway.Transport) {
	t.Helper()
	for _, tr := range all {
		known, agreed := members(tr)
		require.Equal(t, n, known)
		require.Equal(t, n > 0, agreed)
	}
}

// After Close the other member learns within a renewal that it is alone, not only after the lease. The closed one goes by
// what the server tells.
func TestCloseGivesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, service := newBubbleRedis(t), newService(600)
		one, other := b.fleet(t), b.fleet(t)
		stays, goes := user(one, service), user(other, service)
		use(t, 10, stays, goes)
		requireMembers(t, 2, stays, goes)
		begun := time.Now()
		require.NoError(t, other.Close())
		require.NoError(t, other.Close(), "again")
		require.Zero(t, time.Since(begun))
		use(t, 2, stays)
		requireMembers(t, 1, stays)
		use(t, 10, goes)
		requireMembers(t, 0, goes)
	})
}

// Close returns within a second even if the store hangs or is down, and the client's own timeouts are longer.
func TestCloseWhileTheStoreHangs(t *testing.T) {
	for _, row := range []struct {
		name  string
		down  bool
		after time.Duration
	}{
		{name: "in a renewal", after: 300 * time.Millisecond},
		{name: "when it is known to be lost", after: 30 * time.Second},
		{name: "it was never there", down: true, after: 5 * time.Second},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBubbleRedis(t)
				if row.down {
					b.refuse()
				}
				f := b.fleet(t)
				tr := user(f, newService(600))
				use(t, 5, tr)
				release := make(chan struct{})
				defer close(release)
				b.answer(func(*server.Peer, string) bool { <-release; return false })
				time.Sleep(row.after)
				use(t, 1, tr)
				begun := time.Now()
				err := f.Close()
				require.LessOrEqual(t, time.Since(begun), time.Second)
				if !row.down { // otherwise there is nothing to give back
					require.ErrorIs(t, err, context.DeadlineExceeded)
				}
				require.NoError(t, f.Close())
			})
		})
	}
}

// Join does not block, even for many Transports while the store hangs.
func TestJoinDoesNotBlock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBubbleRedis(t)
		f, service := b.fleet(t), newService(6000)
		release := make(chan struct{})
		b.answer(func(*server.Peer, string) bool { <-release; return false })
		begun := time.Now()
		for range 50 {
			_, err := get(t.Context(), user(f, service))
			require.NoError(t, err)
		}
		require.Zero(t, time.Since(begun))
		close(release)
	})
}

// A Transport that is not used any more is garbage-collected, although its Fleet is open.
func TestTransportThatIsCollected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, service := newBubbleRedis(t).fleet(t), newService(600)
		stays := user(f, service)
		func() { use(t, 10, stays, user(f, service)) }()
		requireMembers(t, 2, stays)
		joined := func() int {
			f.mu.Lock()
			defer f.mu.Unlock()
			return len(f.members)
		}
		require.Equal(t, 2, joined())
		for i := 0; i < 100 && joined() > 1; i++ { // timers and caches release it after a few collections
			runtime.GC()
			use(t, 1, stays)
		}
		require.Equal(t, 1, joined())
		use(t, 6, stays)
		requireMembers(t, 1, stays)
	})
}

// Transports share quotas if their Fleets have the same store, key and prefix, also if that is one Fleet. Otherwise they do
// not share anything.
func TestWhoSharesAFleet(t *testing.T) {
	for _, row := range []struct {
		name string
		o    Options
		want int // members that each knows of
	}{
		{"one fleet", Options{}, 2},
		{"the same prefix", Options{Key: []byte(testKey), Prefix: "headway"}, 2},
		{"another prefix", Options{Key: []byte(testKey), Prefix: "other"}, 1},
		{"another key", Options{Key: []byte(testKey + "x")}, 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b, service := newBubbleRedis(t), newService(600)
				f := b.fleet(t)
				other := f
				if row.o.Key != nil {
					var err error
					other, err = New(b.client(t), row.o)
					require.NoError(t, err)
					defer func() { _ = other.Close() }()
				}
				one, two := user(f, service), user(other, service)
				use(t, 10, one, two)
				requireMembers(t, row.want, one, two)
				if row.want == 2 {
					sum := one.State()[0].Limits[0].Share + two.State()[0].Limits[0].Share
					require.InDelta(t, 1, sum, 0.1)
				}
			})
		})
	}
}

// No names, paths or credentials are stored in clear text.
func TestNothingInClear(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, service := newBubbleRedis(t), newService(600)
		f := b.fleet(t)
		use(t, 5, user(f, service), user(f, service))
		keys := b.Keys()
		require.Len(t, keys, 1)
		fields, err := b.HKeys(keys[0])
		require.NoError(t, err)
		require.Greater(t, len(fields), 6, "a record and an agreement for each, and more")
		var stored strings.Builder
		stored.WriteString(keys[0])
		for _, field := range fields {
			stored.WriteString(" " + field + " " + b.HGet(keys[0], field))
		}
		for _, secret := range []string{"api.test", "secret", "query", "Bearer", "credential", "http", "default", testKey} {
			require.NotContains(t, stored.String(), secret)
		}
		for _, s := range []string{"headway:1:{", `"q":600`, `"w":60000`} {
			require.Contains(t, stored.String(), s, "this is what is stored")
		}
	})
}
