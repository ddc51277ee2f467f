package redisfleet

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/fleet/internal/fleettest"
	"github.com/headway-go/headway/fleet/internal/store"
	"github.com/headway-go/headway/fleet/internal/store/storetest"
)

// What a store in Redis does beyond the rules of all stores, see store_test.go.

// One hash, which expires, is all that is stored of a partition. Its times are the server's. Its key has a hash tag, by
// which a cluster finds its node.
func TestRedisHash(t *testing.T) {
	eachRedis(t, func(t *testing.T, client *redis.Client) {
		t.Helper()
		s := newRedisStore(client, "p:q")
		before := client.Time(t.Context()).Val().UnixMilli()
		r := storetest.Renew(t, s, "a", "x")
		after := client.Time(t.Context()).Val().UnixMilli()
		require.GreaterOrEqual(t, r.Now, before)
		require.LessOrEqual(t, r.Now, after)
		require.Equal(t, strconv.FormatInt(r.Now+store.TurnFor.Milliseconds(), 10), r.All.Claim)
		require.Equal(t, []string{"p:q:1:{" + fleettest.Name + "}"}, client.Keys(t.Context(), "*").Val())
		left := client.PTTL(t.Context(), s.key(fleettest.Name)).Val()
		require.Greater(t, left, 50*time.Second)
		require.LessOrEqual(t, left, time.Minute)
	})
}

// A key of another program is not overwritten, and does not keep other partitions up.
func TestRedisForeignType(t *testing.T) {
	eachRedis(t, func(t *testing.T, client *redis.Client) {
		t.Helper()
		s := newRedisStore(client, "p")
		require.NoError(t, client.Set(t.Context(), s.key("foreign"), "x", 0).Err())
		_, err := s.Renew(t.Context(), "a", []store.Renewal{{Name: "foreign", Record: "r", Keep: time.Minute}})
		require.ErrorContains(t, err, "WRONGTYPE", "there is nothing else to be had from the store")
		all, err := s.Renew(t.Context(), "a", []store.Renewal{{Name: "foreign", Record: "r", Keep: time.Minute}, {Name: fleettest.Name, Record: "r", Keep: time.Minute}})
		require.NoError(t, err)
		require.ErrorContains(t, all[0].Err, "WRONGTYPE")
		require.NoError(t, all[1].Err)
		errs := s.Agree(t.Context(), []store.Outcome{{Name: "foreign"}, {Name: fleettest.Name, Claim: all[1].All.Claim}})
		require.Len(t, errs, 2)
		require.ErrorContains(t, errs[0], "WRONGTYPE")
		require.NoError(t, errs[1])
		require.Equal(t, "x", client.Get(t.Context(), s.key("foreign")).Val())
	})
}

// 128 partitions take one round trip, and one more if the server has forgotten its scripts.
func TestRedisRoundTrips(t *testing.T) {
	eachRedis(t, func(t *testing.T, client *redis.Client) {
		t.Helper()
		s := newRedisStore(client, "p")
		storetest.Renew(t, s, "b", "opens a connection")
		trips := &tripCounter{}
		client.AddHook(trips)
		for _, row := range []struct {
			partitions int
			flush      bool
			want       int
		}{
			{partitions: 1, want: 1},
			{partitions: mostBatch, want: 1},
			{partitions: mostBatch, flush: true, want: 2},
			{partitions: mostBatch, want: 1},
			{partitions: 300, want: 3},
		} {
			if row.flush {
				require.NoError(t, client.ScriptFlush(t.Context()).Err())
			}
			trips.n = 0
			all, err := s.Renew(t.Context(), "a", storetest.Renewals(row.partitions))
			require.NoError(t, err)
			require.NoError(t, all[row.partitions-1].Err)
			require.Equal(t, row.want, trips.n, row)
		}
		require.NoError(t, client.ScriptFlush(t.Context()).Err())
		require.ErrorIs(t, storetest.Agree(t, s, store.Outcome{}), store.ErrTurn, "agree.lua is sent again, too")
	})
}

// A tripCounter counts a client's pipelines.
type tripCounter struct{ n int }

func (c *tripCounter) DialHook(next redis.DialHook) redis.DialHook          { return next }
func (c *tripCounter) ProcessHook(next redis.ProcessHook) redis.ProcessHook { return next }

func (c *tripCounter) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		c.n++
		return next(ctx, cmds)
	}
}

// Whatever is in a hash, the script's time and reply are bounded.
func TestRedisBounds(t *testing.T) {
	const most = 2*store.MostMembers + 4
	tests := []struct {
		name   string
		fields map[string]string
		many   int // further fields
		err    string
		check  func(t *testing.T, r *store.Renewed)
	}{
		{name: "as many as may be", many: most - 1},
		{name: "too many", many: most, err: "too many members"},
		{name: "so many that nobody could read them", fields: map[string]string{"ma": "1 x"}, many: 2 * most, err: "too many members"},
		{name: "fields and records that are too long", fields: map[string]string{
			"m" + strings.Repeat("n", 64): "1 x", "mlong": "1 " + strings.Repeat("x", store.MostBytes), "l": strings.Repeat("x", store.MostBytes+1),
		}, check: func(t *testing.T, r *store.Renewed) {
			t.Helper()
			require.Equal(t, []string{"a"}, slices.Collect(maps.Keys(r.All.Records)))
			require.Empty(t, r.All.Ledger)
		}},
		{name: "foreign fields", fields: map[string]string{"": "x", "B": "1", "q": "2", "d": "soon", "l": "?", "mb": "no time", "mc": "-5 x", "md": "9e9 x"}, check: func(t *testing.T, r *store.Renewed) {
			t.Helper()
			require.Equal(t, "?", r.All.Ledger)
			require.Equal(t, store.Stamped{At: 0, Record: "time"}, r.All.Records["b"])
			require.Equal(t, store.Stamped{At: 0, Record: "x"}, r.All.Records["c"])
			require.Equal(t, store.Stamped{At: 0, Record: "x"}, r.All.Records["d"])
		}},
		{name: "a turn that never ends", fields: map[string]string{"d": "9e15"}},
	}
	eachRedis(t, func(t *testing.T, client *redis.Client) {
		t.Helper()
		s := newRedisStore(client, "p")
		for _, test := range tests {
			require.NoError(t, client.FlushAll(t.Context()).Err(), test.name)
			pipe := client.Pipeline()
			pipe.HSet(t.Context(), s.key(fleettest.Name), "b", client.Time(t.Context()).Val().UnixMilli())
			for field, value := range test.fields {
				pipe.HSet(t.Context(), s.key(fleettest.Name), field, value)
			}
			for from := 0; from < test.many; from += 1000 {
				var more []string
				for i := range min(1000, test.many-from) {
					more = append(more, "x"+strconv.Itoa(from+i), "")
				}
				pipe.HSet(t.Context(), s.key(fleettest.Name), more)
			}
			_, err := pipe.Exec(t.Context())
			require.NoError(t, err, test.name)
			if test.err != "" {
				_, err := s.Renew(t.Context(), "a", []store.Renewal{{Name: fleettest.Name, Record: "r", Keep: time.Minute}})
				require.ErrorContains(t, err, test.err, test.name)
				continue
			}
			r := storetest.Renew(t, s, "a", "r")
			require.NotNil(t, r.All, test.name)
			require.Equal(t, store.Stamped{At: r.Now, Record: "r"}, r.All.Records["a"], test.name)
			if test.check != nil {
				test.check(t, &r)
			}
		}
	})
}
