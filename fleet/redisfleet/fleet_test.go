package redisfleet

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/fleet"
	"github.com/headway-go/headway/fleet/internal/fleettest"
	"github.com/headway-go/headway/fleet/internal/store"
	"github.com/headway-go/headway/fleet/internal/store/storetest"
)

func TestNewNeedsAClientAndAKey(t *testing.T) {
	client := redis.NewClient(&redis.Options{})
	t.Cleanup(func() { _ = client.Close() })
	_, err := New(nil, Options{Key: []byte(fleettest.Key)})
	require.ErrorContains(t, err, "client is nil")
	_, err = New(client, Options{Key: []byte(fleettest.Key[1:])})
	require.ErrorIs(t, err, fleet.ErrKey)
	f, err := New(client, Options{Key: []byte(fleettest.Key)})
	require.NoError(t, err)
	require.NoError(t, f.Close())
}

// Fleets with different prefixes do not share anything.
func TestPrefix(t *testing.T) {
	for prefix, want := range map[string]int{"headway": 2, "other": 1} {
		synctest.Test(t, func(t *testing.T) {
			b, service := newBubbleRedis(t), fleettest.NewService(600)
			other, err := New(b.client(t), Options{Key: []byte(fleettest.Key), Prefix: prefix})
			require.NoError(t, err)
			defer func() { require.NoError(t, other.Close()) }()
			one, two := fleettest.Client(b.Fleet(t), service), fleettest.Client(other, service)
			fleettest.Use(t, 10, one, two)
			fleettest.RequireMembers(t, want, one, two)
		})
	}
}

// No names, paths or credentials are stored in clear text.
func TestNothingInClear(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, service := newBubbleRedis(t), fleettest.NewService(600)
		f := b.Fleet(t)
		fleettest.Use(t, 5, fleettest.Client(f, service), fleettest.Client(f, service))
		keys := b.Keys()
		require.Len(t, keys, 2, "a partition, and the keys of fleets")
		var stored strings.Builder
		for _, key := range keys {
			fields, err := b.HKeys(key)
			require.NoError(t, err)
			stored.WriteString(key)
			for _, field := range fields {
				stored.WriteString(" " + field + " " + b.HGet(key, field))
			}
		}
		for _, secret := range []string{"api.test", "secret", "query", "Bearer", "credential", "http", "default", fleettest.Key} {
			require.NotContains(t, stored.String(), secret)
		}
		for _, s := range []string{"headway:1:{", `"q":600`, `"w":60000`} {
			require.Contains(t, stored.String(), s, "this is what is stored")
		}
	})
}

func TestStore(t *testing.T) {
	eachRedis(t, func(t *testing.T, client *redis.Client) {
		t.Helper()
		storetest.Test(t, func(t *testing.T) store.Store {
			t.Helper()
			require.NoError(t, client.FlushAll(t.Context()).Err())
			return newRedisStore(client, "p")
		})
	})
	storetest.TestInTime(t, func(t *testing.T) (store.Store, func(time.Duration)) {
		t.Helper()
		b := newBubbleRedis(t)
		return newRedisStore(b.client(t), "p"), func(d time.Duration) {
			b.ClockTTL(false) // real servers do not use TIME to expire keys
			b.shift.Store(int64(d))
		}
	}, false)
}
