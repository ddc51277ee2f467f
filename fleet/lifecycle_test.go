package fleet

import (
	"context"
	"errors"
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

func TestNew(t *testing.T) {
	client := redis.NewClient(&redis.Options{})
	t.Cleanup(func() { _ = client.Close() })
	tests := []struct {
		name   string
		client redis.UniversalClient
		key    string
		want   error
	}{
		{name: "no client", key: testKey, want: errors.New("fleet: the client is nil")},
		{name: "no key", client: client, want: ErrKey},
		{name: "a short key", client: client, key: testKey[1:], want: ErrKey},
		{name: "a key", client: client, key: testKey},
		{name: "a long key", client: client, key: strings.Repeat(testKey, 9)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f, err := New(test.client, Options{Key: []byte(test.key)})
			if test.want != nil {
				require.ErrorContains(t, err, test.want.Error())
				require.Equal(t, errors.Is(test.want, ErrKey), errors.Is(err, ErrKey))
				require.NotContains(t, err.Error(), testKey[1:], "the key is a secret")
				require.Nil(t, f)
				return
			}
			require.NoError(t, err)
			require.NoError(t, f.Close())
		})
	}
}

func TestNewKeepsTheKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		key := []byte(testKey)
		f, err := newFleet(newMemory(), key)
		require.NoError(t, err)
		clear(key)
		require.EqualValues(t, nameKey([]byte(testKey)), f.Key())
		require.NoError(t, f.Close())
	})
}

// use makes requests through each Transport now and then, for n seconds.
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

func TestCloseTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBubbleRedis(t)
		f := b.fleet(t)
		tr := &headway.Transport{Base: &ratelimittest.Transport{Handler: newService(600)}, Fleet: f}
		use(t, 5, tr)
		begun := time.Now()
		require.NoError(t, f.Close())
		require.NoError(t, f.Close())
		require.Zero(t, time.Since(begun))
		use(t, 5, tr)
		require.NoError(t, f.Close())
	})
}

// After Close the other member learns within a renewal that it is alone, not only after the lease.
func TestCloseGivesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBubbleRedis(t)
		service := newService(600)
		one, other := b.fleet(t), b.fleet(t)
		stays := &headway.Transport{Base: &ratelimittest.Transport{Handler: service}, Fleet: one}
		goes := &headway.Transport{Base: &ratelimittest.Transport{Handler: service}, Fleet: other}
		use(t, 10, stays, goes)
		n, agreed := members(stays)
		require.Equal(t, 2, n)
		require.True(t, agreed)
		require.NoError(t, other.Close())
		use(t, 2, stays)
		n, agreed = members(stays)
		require.Equal(t, 1, n)
		require.True(t, agreed)

		use(t, 10, goes)
		n, agreed = members(goes)
		require.Zero(t, n, "it goes by what the server tells")
		require.False(t, agreed)
	})
}

// Close returns in time even if the store hangs and the client's own timeouts are longer.
func TestCloseWhileTheStoreHangs(t *testing.T) {
	for _, after := range []time.Duration{0, 300 * time.Millisecond, 30 * time.Second} {
		t.Run(after.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBubbleRedis(t)
				f := b.fleet(t)
				tr := &headway.Transport{Base: &ratelimittest.Transport{Handler: newService(600)}, Fleet: f}
				use(t, 5, tr)
				release := make(chan struct{})
				b.answer(func(*server.Peer, string) bool { <-release; return false })
				time.Sleep(after)
				_, err := get(t.Context(), tr)
				require.NoError(t, err)
				begun := time.Now()
				require.ErrorIs(t, f.Close(), context.DeadlineExceeded)
				require.LessOrEqual(t, time.Since(begun), time.Second)
				require.NoError(t, f.Close())
				close(release)
			})
		})
	}
}

// Close returns in time even if the store was never reachable.
func TestCloseWhileTheStoreIsDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBubbleRedis(t)
		b.refuse()
		f := b.fleet(t)
		tr := &headway.Transport{Base: &ratelimittest.Transport{Handler: newService(600)}, Fleet: f}
		use(t, 5, tr)
		begun := time.Now()
		_ = f.Close() // there is nothing to give back
		require.LessOrEqual(t, time.Since(begun), time.Second)
	})
}

// Join does not block, even for as many Transports as there may be while the store hangs.
func TestJoinDoesNotBlock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBubbleRedis(t)
		f := b.fleet(t)
		release := make(chan struct{})
		b.answer(func(*server.Peer, string) bool { <-release; return false })
		base := &ratelimittest.Transport{Handler: newService(6000)}
		begun := time.Now()
		for range 50 {
			status, err := get(t.Context(), &headway.Transport{Base: base, Fleet: f})
			require.NoError(t, err)
			require.Equal(t, http.StatusOK, status)
		}
		require.Zero(t, time.Since(begun))
		close(release)
	})
}

// A Transport that is not used any more is garbage-collected, although its Fleet is open.
func TestTransportThatIsCollected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newBubbleRedis(t).fleet(t)
		base := &ratelimittest.Transport{Handler: newService(600)}
		stays := &headway.Transport{Base: base, Fleet: f}
		func() { use(t, 10, stays, &headway.Transport{Base: base, Fleet: f}) }()
		n, _ := members(stays)
		require.Equal(t, 2, n)
		joined := func() int {
			f.mu.Lock()
			defer f.mu.Unlock()
			return len(f.members)
		}
		require.Equal(t, 2, joined())
		for range 100 { // timers and caches release it after a few collections
			if joined() == 1 {
				break
			}
			runtime.GC()
			use(t, 1, stays)
		}
		require.Equal(t, 1, joined())
		use(t, 6, stays)
		n, agreed := members(stays)
		require.Equal(t, 1, n)
		require.True(t, agreed)
	})
}

// Transports of one Fleet share quotas like Transports of several processes.
func TestTransportsOfOneFleet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBubbleRedis(t)
		f, service := b.fleet(t), newService(600)
		var all []*headway.Transport
		for range 3 {
			all = append(all, &headway.Transport{Base: &ratelimittest.Transport{Handler: service}, Fleet: f})
		}
		use(t, 10, all...)
		var sum float64
		for _, tr := range all {
			n, agreed := members(tr)
			require.Equal(t, 3, n)
			require.True(t, agreed)
			sum += tr.State()[0].Limits[0].Share
		}
		require.LessOrEqual(t, sum, 1.0001)
		require.Greater(t, sum, 0.9)
	})
}

// TestFleetsApart has processes with a common store and different keys or prefixes. They do not share
// anything.
func TestFleetsApart(t *testing.T) {
	tests := []struct {
		name string
		o    Options
		want int // members that each knows of
	}{
		{"the same", Options{Key: []byte(testKey)}, 2},
		{"the same prefix", Options{Key: []byte(testKey), Prefix: "headway"}, 2},
		{"another prefix", Options{Key: []byte(testKey), Prefix: "other"}, 1},
		{"another key", Options{Key: []byte(testKey + "x")}, 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBubbleRedis(t)
				other, err := New(b.client(t), test.o)
				require.NoError(t, err)
				defer func() { _ = other.Close() }()
				service := newService(600)
				one := &headway.Transport{Base: &ratelimittest.Transport{Handler: service}, Fleet: b.fleet(t)}
				two := &headway.Transport{Base: &ratelimittest.Transport{Handler: service}, Fleet: other}
				use(t, 10, one, two)
				for _, tr := range []*headway.Transport{one, two} {
					n, agreed := members(tr)
					require.Equal(t, test.want, n)
					require.True(t, agreed)
				}
			})
		})
	}
}

// TestNothingInClear searches the store for names, paths and credentials in clear text.
func TestNothingInClear(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBubbleRedis(t)
		service := newService(600)
		f := b.fleet(t)
		use(t, 5, &headway.Transport{Base: &ratelimittest.Transport{Handler: service}, Fleet: f},
			&headway.Transport{Base: &ratelimittest.Transport{Handler: service}, Fleet: f})
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
		for _, s := range []string{`"q":600`, `"w":60000`} {
			require.Contains(t, stored.String(), s, "this is what is stored")
		}
	})
}
