package fleet

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
)

// What each store does. A new store gets a line in eachStore, and if its clock is this process's, in eachVirtualStore.

// eachStore runs f with an empty store of each kind.
func eachStore(t *testing.T, f func(t *testing.T, s store)) {
	t.Helper()
	t.Run("files", func(t *testing.T) { f(t, newTestFiles(t)) })
	eachRedis(t, func(t *testing.T, client *redis.Client) {
		t.Helper()
		f(t, newRedisStore(client, "p"))
	})
}

// eachVirtualStore runs f in virtual time, with an empty store of each kind that can be in it. shift sets the store's
// clock forwards or back.
func eachVirtualStore(t *testing.T, f func(t *testing.T, s store, shift func(time.Duration))) {
	t.Helper()
	t.Run("files", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s, by := newTestFiles(t), time.Duration(0)
			s.now = func() int64 { return time.Now().Add(by).UnixMilli() }
			f(t, s, func(d time.Duration) { by = d })
		})
	})
	t.Run("miniredis", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			b := newBubbleRedis(t)
			f(t, newRedisStore(b.client(t), "p"), func(d time.Duration) {
				b.ClockTTL(false) // real servers do not use TIME to expire keys
				b.shift.Store(int64(d))
			})
		})
	})
}

// renewOnce renews one partition without an error.
func renewOnce(t *testing.T, s store, id, record string) renewed {
	t.Helper()
	all, err := s.renew(t.Context(), id, []renewal{{testName, record, time.Minute}})
	require.NoError(t, err)
	require.Len(t, all, 1)
	require.NoError(t, all[0].err)
	return all[0]
}

// agreeOnce stores agreements for one partition.
func agreeOnce(t *testing.T, s store, o outcome) error {
	t.Helper()
	o.name = testName
	errs := s.agree(t.Context(), []outcome{o})
	require.Len(t, errs, 1)
	return errs[0]
}

// A storeStep is one call of a store, and the expected result.
type storeStep struct {
	name string

	renew  string // the id of a member; its record is its id and the step
	agree  string // the id of the member whose last claim is used
	next   time.Duration
	ledger string
	told   map[string]string
	gone   []string

	noTurn bool // agree is refused

	wantTold    string
	wantTurn    bool
	wantLedger  string
	wantRecords []string // ids
	wantAll     map[string]string
}

// Members take turns to divide. Only the last claim of a turn agrees, and once.
func TestStoreGivesTurns(t *testing.T) {
	const long = time.Hour - time.Second
	steps := []storeStep{
		{name: "the first one has the turn", renew: "a", wantTurn: true, wantRecords: []string{"a"}},
		{name: "the next one has not", renew: "b"},
		{name: "a claim agrees", agree: "a", ledger: "L1", told: map[string]string{"a": "A1", "b": "B1"}},
		{name: "and the turn is anybody's", renew: "b", wantTold: "B1", wantTurn: true, wantLedger: "L1", wantRecords: []string{"a", "b"}, wantAll: map[string]string{"a": "A1", "b": "B1"}},
		{name: "who has no claim does not agree", agree: "c", noTurn: true, next: long, ledger: "L2", told: map[string]string{"a": "A2"}, gone: []string{"b"}},
		{name: "so nothing has changed", renew: "a", wantTold: "A1"},
		{name: "the claim of now agrees that one is gone", agree: "b", ledger: "L3", told: map[string]string{"b": "B3"}, gone: []string{"a"}},
		{name: "who is gone is told nothing", renew: "a", wantTurn: true, wantLedger: "L3", wantRecords: []string{"a", "b"}, wantAll: map[string]string{"b": "B3"}},
		{name: "it is nobody's turn for long", agree: "a", next: 30 * time.Second, ledger: "L4", told: map[string]string{"a": "A4"}},
		{name: "not for one", renew: "a", wantTold: "A4"},
		{name: "nor another", renew: "c"},
		{name: "a claim serves once", agree: "a", noTurn: true, ledger: "L5"},
		{name: "and changes nothing then", renew: "a", wantTold: "A4"},
	}
	eachStore(t, func(t *testing.T, s store) {
		t.Helper()
		claims := make(map[string]string) // the last one of each member
		for _, step := range steps {
			step.run(t, s, claims)
		}
	})
}

func (step *storeStep) run(t *testing.T, s store, claims map[string]string) {
	t.Helper()
	if step.renew == "" {
		err := agreeOnce(t, s, outcome{claim: claims[step.agree], next: step.next, ledger: step.ledger, agreements: step.told, gone: step.gone})
		require.Equal(t, step.noTurn, err != nil, step.name)
		if step.noTurn {
			require.ErrorIs(t, err, errTurn, step.name)
		}
		return
	}
	record := step.renew + " " + step.name
	r := renewOnce(t, s, step.renew, record)
	require.Positive(t, r.now, step.name)
	require.Equal(t, step.wantTold, r.agreement, step.name)
	require.Equal(t, step.wantTurn, r.all != nil, step.name)
	if r.all == nil {
		return
	}
	require.NotEmpty(t, r.all.claim, step.name)
	claims[step.renew] = r.all.claim
	require.Equal(t, step.wantLedger, r.all.ledger, step.name)
	require.Equal(t, step.wantRecords, slices.Sorted(maps.Keys(r.all.records)), step.name)
	require.Len(t, r.all.agreements, len(step.wantAll), step.name)
	for id, told := range step.wantAll {
		require.Equal(t, told, r.all.agreements[id], step.name)
	}
	require.Equal(t, stamped{r.now, record}, r.all.records[step.renew], step.name)
	require.LessOrEqual(t, r.all.born, r.now, step.name)
	require.LessOrEqual(t, r.all.written, r.now, step.name)
	require.Equal(t, step.wantLedger != "", r.all.written > 0, step.name)
}

// A store keeps many partitions apart, and replies in order.
func TestStoreKeepsPartitionsApart(t *testing.T) {
	eachStore(t, requireApart)
}

// requireApart renews 300 partitions, of two members.
func requireApart(t *testing.T, s store) {
	t.Helper()
	var outcomes []outcome
	for _, id := range []string{"a", "b"} {
		all, err := s.renew(t.Context(), id, renewals(300))
		require.NoError(t, err)
		require.Len(t, all, 300)
		for i := range all {
			require.NoError(t, all[i].err)
			if id == "b" {
				require.Equal(t, strconv.Itoa(i), all[i].agreement)
				continue
			}
			require.Equal(t, strconv.Itoa(i), all[i].all.records["a"].record)
			outcomes = append(outcomes, outcome{name: nameOf(i), claim: all[i].all.claim, ledger: "l", agreements: map[string]string{"b": strconv.Itoa(i)}})
		}
		if id == "a" {
			require.Equal(t, make([]error, 300), s.agree(t.Context(), outcomes))
		}
	}
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

// A turn ends after turnFor. The next one begins when the agreement says.
func TestStoreTurnsEnd(t *testing.T) {
	eachVirtualStore(t, func(t *testing.T, s store, _ func(time.Duration)) {
		t.Helper()
		first := renewOnce(t, s, "a", "x")
		require.Equal(t, time.Now().UnixMilli(), first.now, "times are the store's")
		require.Equal(t, first.now, first.all.born)
		time.Sleep(turnFor - time.Millisecond)
		require.Nil(t, renewOnce(t, s, "b", "x").all)
		time.Sleep(time.Millisecond)
		second := renewOnce(t, s, "b", "x")
		require.NotNil(t, second.all, "who had the turn has not agreed")
		agreed := outcome{claim: first.all.claim, next: time.Second, ledger: "first"}
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

// A partition that nobody renews is dropped. Who agrees too late does not bring it back, for ever.
func TestStoreForgetsUnrenewedPartitions(t *testing.T) {
	eachVirtualStore(t, func(t *testing.T, s store, _ func(time.Duration)) {
		t.Helper()
		born := renewOnce(t, s, "a", "x").now
		time.Sleep(59 * time.Second)
		kept := renewOnce(t, s, "a", "x")
		require.Equal(t, born, kept.all.born)
		time.Sleep(61 * time.Second)
		require.ErrorIs(t, agreeOnce(t, s, outcome{claim: kept.all.claim, ledger: "l"}), errTurn)
		r := renewOnce(t, s, "a", "x")
		require.Equal(t, r.now, r.all.born)
		require.Empty(t, r.all.ledger)
	})
}

// If the clock was set back, all times in a partition are wrong, so it begins anew, once.
func TestStoreClockSet(t *testing.T) {
	for _, row := range []struct {
		name  string
		shift time.Duration
		anew  bool
		late  bool // later than a partition is kept: a store that keeps it by the clock that was set begins anew
	}{
		{name: "a little back", shift: -900 * time.Millisecond},
		{name: "back", shift: -2 * time.Second, anew: true},
		{name: "an hour back", shift: -time.Hour, anew: true},
		{name: "a little ahead", shift: 30 * time.Second},
		{name: "an hour ahead", shift: time.Hour, late: true},
	} {
		t.Run(row.name, func(t *testing.T) {
			eachVirtualStore(t, func(t *testing.T, s store, shift func(time.Duration)) {
				t.Helper()
				born := renewOnce(t, s, "a", "x").now
				time.Sleep(10 * time.Second)
				last := renewOnce(t, s, "a", "x")
				require.NoError(t, agreeOnce(t, s, outcome{claim: last.all.claim, ledger: "l", agreements: map[string]string{"a": "A"}}))
				shift(row.shift)
				time.Sleep(turnFor)
				r := renewOnce(t, s, "a", "x")
				if _, byThisClock := s.(*files); row.anew || row.late && byThisClock {
					require.Empty(t, r.agreement, "times in it are wrong")
					born = r.now
				} else {
					require.Equal(t, "A", r.agreement)
				}
				time.Sleep(2 * turnFor)
				again := renewOnce(t, s, "a", "x")
				require.Greater(t, again.now, r.now)
				require.Equal(t, born, again.all.born)
			})
		})
	}
}
