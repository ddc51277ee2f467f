package fleet

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
)

// A scriptStep is one call of a store and what comes of it.
type scriptStep struct {
	name string

	renew  string // the id of a member, with its id and the step as its record
	agree  string // the id of the member whose last claim is used
	next   time.Duration
	ledger string
	told   map[string]string
	gone   []string

	wantTold    string
	wantTurn    bool
	wantLedger  string
	wantRecords []string // ids
	wantAll     map[string]string
}

// scriptSteps are what members do in turn.
func scriptSteps() []scriptStep {
	const long = time.Hour - time.Second
	return []scriptStep{
		{name: "the first one has the turn", renew: "a", wantTurn: true, wantRecords: []string{"a"}},
		{name: "the next one has not", renew: "b"},
		{name: "a claim agrees", agree: "a", ledger: "L1", told: map[string]string{"a": "A1", "b": "B1"}},
		{name: "and the turn is anybody's", renew: "b", wantTold: "B1", wantTurn: true, wantLedger: "L1", wantRecords: []string{"a", "b"}, wantAll: map[string]string{"a": "A1", "b": "B1"}},
		{name: "who has no claim does not agree", agree: "c", next: long, ledger: "L2", told: map[string]string{"a": "A2"}, gone: []string{"b"}},
		{name: "so nothing has changed", renew: "a", wantTold: "A1"},
		{name: "the claim of now agrees that one is gone", agree: "b", ledger: "L3", told: map[string]string{"b": "B3"}, gone: []string{"a"}},
		{name: "who is gone is told nothing", renew: "a", wantTurn: true, wantLedger: "L3", wantRecords: []string{"a", "b"}, wantAll: map[string]string{"b": "B3"}},
		{name: "it is nobody's turn for long", agree: "a", next: 30 * time.Second, ledger: "L4", told: map[string]string{"a": "A4"}},
		{name: "not for one", renew: "a", wantTold: "A4"},
		{name: "nor another", renew: "c"},
		{name: "a claim serves once", agree: "a", ledger: "L5"},
		{name: "and changes nothing then", renew: "a", wantTold: "A4"},
	}
}

// run does the step. claims has the last one of each member.
func (step *scriptStep) run(t *testing.T, s store, claims map[string]string) {
	t.Helper()
	if step.renew == "" {
		o := outcome{name: testName, claim: claims[step.agree], next: step.next, ledger: step.ledger, told: step.told, gone: step.gone}
		require.NoError(t, s.agree(t.Context(), []outcome{o}), step.name)
		return
	}
	record := step.renew + " " + step.name
	all, err := s.renew(t.Context(), step.renew, []renewal{{testName, record, time.Minute}})
	require.NoError(t, err, step.name)
	require.Len(t, all, 1, step.name)
	r := all[0]
	require.NoError(t, r.err, step.name)
	require.Positive(t, r.now, step.name)
	require.Equal(t, step.wantTold, r.told, step.name)
	require.Equal(t, step.wantTurn, r.all != nil, step.name)
	if r.all == nil {
		return
	}
	require.NotEmpty(t, r.all.claim, step.name)
	claims[step.renew] = r.all.claim
	require.Equal(t, step.wantLedger, r.all.ledger, step.name)
	require.Equal(t, step.wantRecords, slices.Sorted(maps.Keys(r.all.records)), step.name)
	require.Len(t, r.all.told, len(step.wantAll), step.name)
	for id, told := range step.wantAll {
		require.Equal(t, told, r.all.told[id], step.name)
	}
	require.Equal(t, stamped{r.now, record}, r.all.records[step.renew], step.name)
	require.LessOrEqual(t, r.all.born, r.now, step.name)
	require.LessOrEqual(t, r.all.written, r.now, step.name)
	require.Equal(t, step.wantLedger != "", r.all.written > 0, step.name)
}

func TestStores(t *testing.T) {
	run := func(t *testing.T, s store) {
		t.Helper()
		claims := make(map[string]string)
		for _, step := range scriptSteps() {
			step.run(t, s, claims)
		}
	}
	t.Run("memory", func(t *testing.T) { run(t, newMemory()) })
	eachRedis(t, func(t *testing.T, client *redis.Client) { run(t, newRedisStore(client, "p")) })
}

// renewOnce renews one partition that answers.
func renewOnce(t *testing.T, s store, id, record string) renewed {
	t.Helper()
	all, err := s.renew(t.Context(), id, []renewal{{testName, record, time.Minute}})
	require.NoError(t, err)
	require.Len(t, all, 1)
	return all[0]
}

func TestRedisStoreStampsWithTheServersTime(t *testing.T) {
	eachRedis(t, func(t *testing.T, client *redis.Client) {
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
		s := newRedisStore(client, "p")
		renewOnce(t, s, "a", "x")
		left := client.PTTL(t.Context(), s.key(testName)).Val()
		require.Greater(t, left, 50*time.Second)
		require.LessOrEqual(t, left, time.Minute)
		require.Equal(t, []string{"p:1:{" + testName + "}"}, client.Keys(t.Context(), "*").Val(), "nothing else is stored")
	})
}

func TestRedisStoreForgetsWhatNobodyRenews(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBubbleRedis(t)
		s := newRedisStore(b.client(t), "p")
		claim := renewOnce(t, s, "a", "x").all.claim
		time.Sleep(59 * time.Second)
		require.True(t, b.Exists(s.key(testName)))
		time.Sleep(2 * time.Second)
		require.False(t, b.Exists(s.key(testName)))
		require.NoError(t, s.agree(t.Context(), []outcome{{name: testName, claim: claim, ledger: "l"}}))
		require.False(t, b.Exists(s.key(testName)), "who agrees too late does not bring it back, for ever")
		r := renewOnce(t, s, "a", "x")
		require.Equal(t, r.now, r.all.born)
	})
}

// TestRedisStoreTurns has the time pass that is somebody's turn.
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
		require.NoError(t, s.agree(t.Context(), []outcome{agreed}))
		time.Sleep(turnFor)
		third := renewOnce(t, s, "a", "x")
		require.NotNil(t, third.all)
		require.Empty(t, third.all.ledger, "a claim that is not the last one changes nothing")
		agreed.claim = third.all.claim
		require.NoError(t, s.agree(t.Context(), []outcome{agreed}))
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

func TestRedisStoreBounds(t *testing.T) {
	const most = 2*mostMembers + 4
	tests := []struct {
		name   string
		fields map[string]string
		many   int // more fields
		err    string
		check  func(t *testing.T, r *renewed)
	}{
		{name: "as many as may be", many: most - 2},
		{name: "too many", many: most, err: "too many members"},
		{name: "too many, this one among them", fields: map[string]string{"ma": "1 x"}, many: most},
		{name: "so many that nobody could read them", fields: map[string]string{"ma": "1 x"}, many: 2 * most, err: "too many members"},
		{name: "told too much", fields: map[string]string{"ta": strings.Repeat("x", mostBytes+1)}, check: func(t *testing.T, r *renewed) {
			t.Helper()
			require.Empty(t, r.told)
			require.Empty(t, r.all.told)
		}},
		{name: "as much as may be", fields: map[string]string{"ta": strings.Repeat("x", mostBytes)}, check: func(t *testing.T, r *renewed) {
			t.Helper()
			require.Len(t, r.told, mostBytes)
			require.Len(t, r.all.told["a"], mostBytes)
		}},
		{name: "fields and records that are too long", fields: map[string]string{
			"m" + strings.Repeat("n", 64): "1 x", "mlong": "1 " + strings.Repeat("x", mostBytes), "l": strings.Repeat("x", mostBytes+1),
		}, check: func(t *testing.T, r *renewed) {
			t.Helper()
			require.Equal(t, []string{"a"}, slices.Collect(maps.Keys(r.all.records)))
			require.Empty(t, r.all.ledger)
		}},
		{name: "foreign fields", fields: map[string]string{"": "x", "B": "1", "q": "2", "d": "soon", "l": "?", "mb": "no time", "mc": "-5 x", "md": "9e9 x"}, check: func(t *testing.T, r *renewed) {
			t.Helper()
			require.Equal(t, "?", r.all.ledger)
			require.Equal(t, stamped{0, "time"}, r.all.records["b"])
			require.Equal(t, stamped{0, "x"}, r.all.records["c"])
			require.Equal(t, stamped{0, "x"}, r.all.records["d"])
		}},
		{name: "a turn that never ends", fields: map[string]string{"d": "9e15"}},
		{name: "no number", fields: map[string]string{"d": "nan"}},
	}
	eachRedis(t, func(t *testing.T, client *redis.Client) {
		s := newRedisStore(client, "p")
		for _, test := range tests {
			require.NoError(t, client.FlushAll(t.Context()).Err(), test.name)
			pipe := client.Pipeline()
			pipe.HSet(t.Context(), s.key(testName), "b", client.Time(t.Context()).Val().UnixMilli())
			for field, value := range test.fields {
				pipe.HSet(t.Context(), s.key(testName), field, value)
			}
			for from := 0; from < test.many; from += 1000 {
				var more []string
				for i := range min(1000, test.many-from) {
					more = append(more, "x"+strconv.Itoa(from+i), "")
				}
				pipe.HSet(t.Context(), s.key(testName), more)
			}
			_, err := pipe.Exec(t.Context())
			require.NoError(t, err, test.name)
			all, err := s.renew(t.Context(), "a", []renewal{{testName, "r", time.Minute}})
			if test.err != "" {
				require.ErrorContains(t, err, test.err, test.name)
				continue
			}
			require.NoError(t, err, test.name)
			require.NoError(t, all[0].err, test.name)
			require.NotNil(t, all[0].all, test.name)
			require.Equal(t, stamped{all[0].now, "r"}, all[0].all.records["a"], test.name)
			if test.check != nil {
				test.check(t, &all[0])
			}
		}
	})
}

// TestRedisStoreClockSet has the clock of the server jump.
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
				b.ClockTTL(false) // servers expire by another clock
				s := newRedisStore(b.client(t), "p")
				born := renewOnce(t, s, "a", "x").now
				time.Sleep(10 * time.Second)
				last := renewOnce(t, s, "a", "x")
				require.NoError(t, s.agree(t.Context(), []outcome{{name: testName, claim: last.all.claim, ledger: "l", told: map[string]string{"a": "A"}}}))
				b.shift.Store(int64(test.shift))
				time.Sleep(turnFor)
				r := renewOnce(t, s, "a", "x")
				if test.anew {
					require.Empty(t, r.told, "times in it are wrong")
					born = r.now
				} else {
					require.Equal(t, "A", r.told)
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
		s := newRedisStore(client, "p")
		require.NoError(t, client.Set(t.Context(), s.key("foreign"), "x", 0).Err())
		_, err := s.renew(t.Context(), "a", []renewal{{"foreign", "r", time.Minute}})
		require.ErrorContains(t, err, "WRONGTYPE", "there is nothing else to be had from the store")
		all, err := s.renew(t.Context(), "a", []renewal{{"foreign", "r", time.Minute}, {testName, "r", time.Minute}})
		require.NoError(t, err)
		require.ErrorContains(t, all[0].err, "WRONGTYPE")
		require.NoError(t, all[1].err, "others are not kept up by it")
		require.ErrorContains(t, s.agree(t.Context(), []outcome{{name: "foreign"}}), "WRONGTYPE")
		require.Equal(t, "x", client.Get(t.Context(), s.key("foreign")).Val())
	})
}

// TestRedisStoreSendsScripts has the server forget them. It is sent them in one round trip.
func TestRedisStoreSendsScripts(t *testing.T) {
	eachRedis(t, func(t *testing.T, client *redis.Client) {
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
			require.NoError(t, s.agree(t.Context(), []outcome{{name: testName}}))
		}
	})
}

func TestRedisStorePipelines(t *testing.T) {
	eachRedis(t, func(t *testing.T, client *redis.Client) {
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
			outcomes = append(outcomes, outcome{name: nameOf(i), claim: all[i].all.claim, ledger: "l", told: map[string]string{"a": strconv.Itoa(i)}})
		}
		require.ErrorContains(t, all[299].err, "WRONGTYPE")
		require.NoError(t, s.agree(t.Context(), outcomes))
		all, err = s.renew(t.Context(), "a", renewals(299))
		require.NoError(t, err)
		for i := range all {
			require.Equal(t, strconv.Itoa(i), all[i].told)
		}
	})
}

func nameOf(i int) string { return fmt.Sprintf("%032x", i) }

// renewals are those of n partitions, each with its number as its record.
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

// TestRedisStoreCluster runs the store by way of a cluster's client, and asks a real
// server in cluster mode whether names of one partition are in one slot.
func TestRedisStoreCluster(t *testing.T) {
	m := miniredis.RunT(t)
	client := redis.NewClusterClient(&redis.ClusterOptions{Addrs: []string{m.Addr()}})
	t.Cleanup(func() { _ = client.Close() })
	s := newRedisStore(client, "p")
	all, err := s.renew(t.Context(), "a", renewals(300))
	require.NoError(t, err)
	for i := range all {
		require.NoError(t, all[i].err)
		require.Equal(t, strconv.Itoa(i), all[i].all.records["a"].record)
	}
	for _, prefix := range []string{"headway", "a:b", "{a}b"} {
		key := newRedisStore(client, prefix).key(testName)
		require.True(t, strings.HasPrefix(key, prefix+":1:"))
		require.True(t, strings.HasSuffix(key, "{"+testName+"}"), "all that would be kept of a partition is on one node")
	}
}
