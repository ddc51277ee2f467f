// Package storetest has the tests that each store passes.
package storetest

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/fleet/internal/store"
)

// Name is the name of the partition of Renew and Agree.
const Name = "0123456789abcdef0123456789abcdef"

// A New returns an empty store.
type New func(t *testing.T) store.Store

// A NewVirtual returns an empty store in virtual time. shift sets the store's clock forwards or back.
type NewVirtual func(t *testing.T) (s store.Store, shift func(time.Duration))

// Test runs the tests of a store.
func Test(t *testing.T, open New) {
	t.Helper()
	t.Run("members take turns", func(t *testing.T) { givesTurns(t, open(t)) })
	t.Run("partitions are apart", func(t *testing.T) { RequireApart(t, open(t)) })
}

// TestInTime runs the tests of a store in virtual time. isKeptByThisClock means that the store forgets by the clock that shift
// sets.
func TestInTime(t *testing.T, open NewVirtual, isKeptByThisClock bool) {
	t.Helper()
	for name, test := range map[string]func(*testing.T, store.Store){
		"turns end": turnsEnd, "what nobody renews is forgotten": forgets, "other keys are seen": seesOtherKeys,
	} {
		inVirtualTime(t, name, func(t *testing.T) {
			t.Helper()
			s, _ := open(t)
			test(t, s)
		})
	}
	setClock(t, open, isKeptByThisClock)
}

func inVirtualTime(t *testing.T, name string, test func(t *testing.T)) {
	t.Helper()
	t.Run(name, func(t *testing.T) { synctest.Test(t, test) })
}

// Renew renews one partition without an error.
func Renew(t *testing.T, s store.Store, id, record string) store.Renewed {
	t.Helper()
	all, err := s.Renew(t.Context(), id, []store.Renewal{{Name: Name, Record: record, Keep: time.Minute}})
	require.NoError(t, err)
	require.Len(t, all, 1)
	require.NoError(t, all[0].Err)
	return all[0]
}

// Agree stores agreements for one partition.
func Agree(t *testing.T, s store.Store, o store.Outcome) error {
	t.Helper()
	o.Name = Name
	errs := s.Agree(t.Context(), []store.Outcome{o})
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

// givesTurns: members take turns to divide. Only the last claim of a turn agrees, and once.
func givesTurns(t *testing.T, s store.Store) {
	t.Helper()
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
	claims := make(map[string]string) // the last one of each member
	for _, step := range steps {
		step.run(t, s, claims)
	}
}

func (step *storeStep) run(t *testing.T, s store.Store, claims map[string]string) {
	t.Helper()
	if step.renew == "" {
		err := Agree(t, s, store.Outcome{Claim: claims[step.agree], Next: step.next, Ledger: step.ledger, Agreements: step.told, Gone: step.gone})
		require.Equal(t, step.noTurn, err != nil, step.name)
		if step.noTurn {
			require.ErrorIs(t, err, store.ErrTurn, step.name)
		}
		return
	}
	record := step.renew + " " + step.name
	r := Renew(t, s, step.renew, record)
	require.Positive(t, r.Now, step.name)
	require.Equal(t, step.wantTold, r.Agreement, step.name)
	require.Equal(t, step.wantTurn, r.All != nil, step.name)
	if r.All == nil {
		return
	}
	require.NotEmpty(t, r.All.Claim, step.name)
	claims[step.renew] = r.All.Claim
	require.Equal(t, step.wantLedger, r.All.Ledger, step.name)
	require.Equal(t, step.wantRecords, slices.Sorted(maps.Keys(r.All.Records)), step.name)
	require.Len(t, r.All.Agreements, len(step.wantAll), step.name)
	for id, told := range step.wantAll {
		require.Equal(t, told, r.All.Agreements[id], step.name)
	}
	require.Equal(t, store.Stamped{At: r.Now, Record: record}, r.All.Records[step.renew], step.name)
	require.LessOrEqual(t, r.All.Born, r.Now, step.name)
	require.LessOrEqual(t, r.All.Written, r.Now, step.name)
	require.Equal(t, step.wantLedger != "", r.All.Written > 0, step.name)
}

// RequireApart requires that a store keeps 300 partitions of two members apart, and replies in order.
func RequireApart(t *testing.T, s store.Store) {
	t.Helper()
	var outcomes []store.Outcome
	for _, id := range []string{"a", "b"} {
		all, err := s.Renew(t.Context(), id, Renewals(300))
		require.NoError(t, err)
		require.Len(t, all, 300)
		for i := range all {
			require.NoError(t, all[i].Err)
			if id == "b" {
				require.Equal(t, strconv.Itoa(i), all[i].Agreement)
				continue
			}
			require.Equal(t, strconv.Itoa(i), all[i].All.Records["a"].Record)
			outcomes = append(outcomes, store.Outcome{Name: NameOf(i), Claim: all[i].All.Claim, Ledger: "l", Agreements: map[string]string{"b": strconv.Itoa(i)}})
		}
		if id == "a" {
			require.Equal(t, make([]error, 300), s.Agree(t.Context(), outcomes))
		}
	}
}

// NameOf returns the name of a partition of Renewals.
func NameOf(i int) string { return fmt.Sprintf("%032x", i) }

// Renewals returns renewals of n partitions, each with its number as the record.
func Renewals(n int) []store.Renewal {
	batch := make([]store.Renewal, n)
	for i := range batch {
		batch[i] = store.Renewal{Name: NameOf(i), Record: strconv.Itoa(i), Keep: time.Minute}
	}
	return batch
}

// turnsEnd: a turn ends after store.TurnFor. The next one begins when the agreement says.
func turnsEnd(t *testing.T, s store.Store) {
	t.Helper()
	first := Renew(t, s, "a", "x")
	require.Equal(t, time.Now().UnixMilli(), first.Now, "times are the store's")
	require.Equal(t, first.Now, first.All.Born)
	time.Sleep(store.TurnFor - time.Millisecond)
	require.Nil(t, Renew(t, s, "b", "x").All)
	time.Sleep(time.Millisecond)
	second := Renew(t, s, "b", "x")
	require.NotNil(t, second.All, "who had the turn has not agreed")
	agreed := store.Outcome{Claim: first.All.Claim, Next: time.Second, Ledger: "first"}
	require.ErrorIs(t, Agree(t, s, agreed), store.ErrTurn)
	time.Sleep(store.TurnFor)
	third := Renew(t, s, "a", "x")
	require.NotNil(t, third.All)
	require.Empty(t, third.All.Ledger, "a claim that is not the last one changes nothing")
	agreed.Claim = third.All.Claim
	require.NoError(t, Agree(t, s, agreed))
	later := Renew(t, s, "b", "x")
	require.Greater(t, later.Now, third.Now, "it came after the agreement, in the same millisecond")
	time.Sleep(time.Second - time.Millisecond)
	require.Nil(t, Renew(t, s, "a", "x").All)
	time.Sleep(time.Millisecond)
	last := Renew(t, s, "a", "x")
	require.Equal(t, "first", last.All.Ledger)
	require.Equal(t, third.Now, last.All.Written)
	require.Greater(t, last.All.Records["b"].At, last.All.Written)
}

// forgets: a partition that nobody renews is dropped. Who agrees too late does not bring it back, for ever.
func forgets(t *testing.T, s store.Store) {
	t.Helper()
	born := Renew(t, s, "a", "x").Now
	time.Sleep(59 * time.Second)
	kept := Renew(t, s, "a", "x")
	require.Equal(t, born, kept.All.Born)
	time.Sleep(61 * time.Second)
	require.ErrorIs(t, Agree(t, s, store.Outcome{Claim: kept.All.Claim, Ledger: "l"}), store.ErrTurn)
	r := Renew(t, s, "a", "x")
	require.Equal(t, r.Now, r.All.Born)
	require.Empty(t, r.All.Ledger)
}

// seesOtherKeys: members with another key are seen until two minutes after their last renewal.
func seesOtherKeys(t *testing.T, s store.Store) {
	t.Helper()
	one, same, other := &store.Census{Key: "one"}, &store.Census{Key: "one"}, &store.Census{Key: "other"}
	for i, step := range []struct {
		after time.Duration
		who   *store.Census
		want  bool
	}{
		{0, one, false},
		{0, same, false},
		{0, other, true},
		{59 * time.Second, one, false}, // it asks once a minute
		{time.Second, one, true},
		{time.Minute, one, true},
		{time.Minute, same, false},
		{0, one, false},
		{0, other, true},
		{time.Minute, other, true},
		{4 * time.Minute, other, false},
	} {
		time.Sleep(step.after)
		require.Equal(t, step.want, step.who.Others(t.Context(), s, time.Now()), i)
	}
}

// setClock: if the clock was set back, all times in a partition are wrong, so it begins anew, once.
func setClock(t *testing.T, open NewVirtual, isKeptByThisClock bool) {
	t.Helper()
	for _, row := range []struct {
		name  string
		shift time.Duration
		anew  bool
	}{
		{name: "a little back", shift: -900 * time.Millisecond},
		{name: "back", shift: -2 * time.Second, anew: true},
		{name: "an hour back", shift: -time.Hour, anew: true},
		{name: "a little ahead", shift: 30 * time.Second},
		{name: "an hour ahead", shift: time.Hour, anew: isKeptByThisClock}, // then it was not renewed for an hour
	} {
		inVirtualTime(t, "the clock is set "+row.name, func(t *testing.T) {
			t.Helper()
			s, shift := open(t)
			born := Renew(t, s, "a", "x").Now
			time.Sleep(10 * time.Second)
			last := Renew(t, s, "a", "x")
			require.NoError(t, Agree(t, s, store.Outcome{Claim: last.All.Claim, Ledger: "l", Agreements: map[string]string{"a": "A"}}))
			shift(row.shift)
			time.Sleep(store.TurnFor)
			r := Renew(t, s, "a", "x")
			if row.anew {
				require.Empty(t, r.Agreement, "times in it are wrong")
				born = r.Now
			} else {
				require.Equal(t, "A", r.Agreement)
			}
			time.Sleep(2 * store.TurnFor)
			again := Renew(t, s, "a", "x")
			require.Greater(t, again.Now, r.Now)
			require.Equal(t, born, again.All.Born)
		})
	}
}
