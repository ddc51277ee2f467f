package fleet

import (
	"context"
	"fmt"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
)

// renewOnce renews one partition without an error.
func renewOnce(t *testing.T, s store, id, record string) renewed {
	t.Helper()
	all, err := s.renew(t.Context(), id, []renewal{{testName, record, time.Minute}})
	require.NoError(t, err)
	require.Len(t, all, 1)
	return all[0]
}

// agreeOnce stores agreements for one partition.
func agreeOnce(t *testing.T, s store, o outcome) error {
	t.Helper()
	errs := s.agree(t.Context(), []outcome{o})
	require.Len(t, errs, 1)
	return errs[0]
}

func TestRedisStoreStampsWithTheServersTime(t *testing.T) {
	eachRedis(t, func(t *testing.T, client *redis.Client) {
		t.Helper()
		s := newRedisStore(client, "p")
		before := client.Time(t.Context()).Val().UnixMilli()
		r := renewOnce(t, s, "a", "x")
		after := client.Time(t.Context()).Val().UnixMilli()
		require.GreaterOrEqual(t, r.now, before)
		require.LessOrEqual(t, r.now, after)
		require.Equal(t, r.now, r.all.records["a"].at)
		require.Equal(t, r.now, r.all.born)
		require.Equal(t, strconv.FormatInt(r.now+turnFor.Milliseconds(), 10), r.all.claim)
	})
}

func TestRedisStoreExpires(t *testing.T) {
	eachRedis(t, func(t *testing.T, client *redis.Client) {
		t.Helper()
		s := newRedisStore(client, "p")
		renewOnce(t, s, "a", "x")
		left := client.PTTL(t.Context(), s.key(testName)).Val()
		require.Greater(t, left, 50*time.Second)
		require.LessOrEqual(t, left, time.Minute)
		require.Equal(t, []string{"p:1:{" + testName + "}"}, client.Keys(t.Context(), "*").Val(), "nothing else is stored")
	})
}

func TestRedisStoreForgetsUnrenewedPartitions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBubbleRedis(t)
		s := newRedisStore(b.client(t), "p")
		claim := renewOnce(t, s, "a", "x").all.claim
		time.Sleep(59 * time.Second)
		require.True(t, b.Exists(s.key(testName)))
		time.Sleep(2 * time.Second)
		require.False(t, b.Exists(s.key(testName)))
		require.ErrorIs(t, agreeOnce(t, s, outcome{name: testName, claim: claim, ledger: "l"}), errTurn)
		require.False(t, b.Exists(s.key(testName)), "who agrees too late does not bring it back, for ever")
		r := renewOnce(t, s, "a", "x")
		require.Equal(t, r.now, r.all.born)
	})
}

// TestRedisStoreTurns lets the time of a member's turn expire.
func TestRedisStoreTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newRedisStore(newBubbleRedis(t).client(t), "p")
		first := renewOnce(t, s, "a", "x")
		require.NotNil(t, first.all)
		time.Sleep(turnFor - time.Millisecond)
		require.Nil(t, renewOnce(t, s, "b", "x").all)
		time.Sleep(time.Millisecond)
		second := renewOnce(t, s, "b", "x")
		require.NotNil(t, second.all, "who had the turn has not agreed")
		agreed := outcome{name: testName, claim: first.all.claim, next: time.Second, ledger: "first"}
		require.ErrorIs(t, agreeOnce(t, s, agreed), errTurn)
		time.Sleep(turnFor)
		third := renewOnce(t, s, "a", "x")
		require.NotNil(t, third.all)
		require.Empty(t, third.all.ledger, "a claim that is not the last one changes nothing")
		agreed.claim = third.all.claim
		require.NoError(t, agreeOnce(t, s, agreed))
		later := renewOnce(t, s, "b", "x")
		require.Greater(t, later.now, third.now, "it came after the agreement, in the same millisecond")
		time.Sleep(time.Second - time.Millisecond)
		require.Nil(t, renewOnce(t, s, "a", "x").all)
		time.Sleep(time.Millisecond)
		last := renewOnce(t, s, "a", "x")
		require.Equal(t, "first", last.all.ledger)
		require.Equal(t, third.now, last.all.written)
		require.Greater(t, last.all.records["b"].at, last.all.written)
	})
}

// TestRedisStoreClockSet sets the server's clock forwards and back.
func TestRedisStoreClockSet(t *testing.T) {
	tests := []struct {
		name  string
		shift time.Duration
		anew  bool
	}{
		{name: "a little back", shift: -900 * time.Millisecond},
		{name: "back", shift: -2 * time.Second, anew: true},
		{name: "an hour back", shift: -time.Hour, anew: true},
		{name: "a little ahead", shift: 30 * time.Second},
		{name: "an hour ahead", shift: time.Hour},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBubbleRedis(t)
				b.ClockTTL(false) // real servers do not use TIME to expire keys
				s := newRedisStore(b.client(t), "p")
				born := renewOnce(t, s, "a", "x").now
				time.Sleep(10 * time.Second)
				last := renewOnce(t, s, "a", "x")
				require.NoError(t, agreeOnce(t, s, outcome{name: testName, claim: last.all.claim, ledger: "l", agreements: map[string]string{"a": "A"}}))
				b.shift.Store(int64(test.shift))
				time.Sleep(turnFor)
				r := renewOnce(t, s, "a", "x")
				if test.anew {
					require.Empty(t, r.agreement, "times in it are wrong")
					born = r.now
				} else {
					require.Equal(t, "A", r.agreement)
				}
				time.Sleep(2 * turnFor)
				again := renewOnce(t, s, "a", "x")
				require.Greater(t, again.now, r.now)
				require.Equal(t, born, again.all.born, "it begins anew once")
			})
		})
	}
}

func TestRedisStoreForeignType(t *testing.T) {
	eachRedis(t, func(t *testing.T, client *redis.Client) {
		t.Helper()
		s := newRedisStore(client, "p")
		require.NoError(t, client.Set(t.Context(), s.key("foreign"), "x", 0).Err())
		_, err := s.renew(t.Context(), "a", []renewal{{"foreign", "r", time.Minute}})
		require.ErrorContains(t, err, "WRONGTYPE", "there is nothing else to be had from the store")
		all, err := s.renew(t.Context(), "a", []renewal{{"foreign", "r", time.Minute}, {testName, "r", time.Minute}})
		require.NoError(t, err)
		require.ErrorContains(t, all[0].err, "WRONGTYPE")
		require.NoError(t, all[1].err, "others are not kept up by it")
		errs := s.agree(t.Context(), []outcome{{name: "foreign"}, {name: testName, claim: all[1].all.claim}})
		require.Len(t, errs, 2)
		require.ErrorContains(t, errs[0], "WRONGTYPE")
		require.NoError(t, errs[1])
		require.Equal(t, "x", client.Get(t.Context(), s.key("foreign")).Val())
	})
}

// TestRedisStoreSendsScripts flushes the server's scripts. They are sent again in one round trip.
func TestRedisStoreSendsScripts(t *testing.T) {
	eachRedis(t, func(t *testing.T, client *redis.Client) {
		t.Helper()
		s := newRedisStore(client, "p")
		renewOnce(t, s, "b", "opens a connection")
		trips := countTrips(client)
		batch := renewals(100)
		for range 2 {
			require.NoError(t, client.ScriptFlush(t.Context()).Err())
			for _, want := range []int{2, 1} {
				*trips = 0
				all, err := s.renew(t.Context(), "a", batch)
				require.NoError(t, err)
				require.NoError(t, all[99].err)
				require.Equal(t, want, *trips)
			}
			require.ErrorIs(t, agreeOnce(t, s, outcome{name: testName}), errTurn)
		}
	})
}

func TestRedisStorePipelines(t *testing.T) {
	eachRedis(t, func(t *testing.T, client *redis.Client) {
		t.Helper()
		s := newRedisStore(client, "p")
		renewOnce(t, s, "b", "loads the script")
		require.NoError(t, client.Set(t.Context(), s.key(nameOf(299)), "foreign", 0).Err())
		trips := countTrips(client)
		all, err := s.renew(t.Context(), "a", renewals(300))
		require.NoError(t, err)
		require.Equal(t, 3, *trips)
		require.Len(t, all, 300)
		var outcomes []outcome
		for i := range all[:299] {
			require.NoError(t, all[i].err)
			require.Equal(t, strconv.Itoa(i), all[i].all.records["a"].record, "replies are in order")
			outcomes = append(outcomes, outcome{name: nameOf(i), claim: all[i].all.claim, ledger: "l", agreements: map[string]string{"a": strconv.Itoa(i)}})
		}
		require.ErrorContains(t, all[299].err, "WRONGTYPE")
		require.Equal(t, make([]error, 299), s.agree(t.Context(), outcomes))
		all, err = s.renew(t.Context(), "a", renewals(299))
		require.NoError(t, err)
		for i := range all {
			require.Equal(t, strconv.Itoa(i), all[i].agreement)
		}
	})
}

func nameOf(i int) string { return fmt.Sprintf("%032x", i) }

// renewals returns renewals of n partitions, each with its number as the record.
func renewals(n int) []renewal {
	batch := make([]renewal, n)
	for i := range batch {
		batch[i] = renewal{nameOf(i), strconv.Itoa(i), time.Minute}
	}
	return batch
}

// countTrips counts the pipelines that a client runs from now on.
func countTrips(client *redis.Client) *int {
	c := &tripCounter{}
	client.AddHook(c)
	return &c.n
}

type tripCounter struct{ n int }

func (c *tripCounter) DialHook(next redis.DialHook) redis.DialHook          { return next }
func (c *tripCounter) ProcessHook(next redis.ProcessHook) redis.ProcessHook { return next }

func (c *tripCounter) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return func(ctx context.Context, cmds []redis.Cmder) error {
		c.n++
		return next(ctx, cmds)
	}
}
