package fleet

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"
)

// A scriptStep is one call of a store, and the expected result.
type scriptStep struct {
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

// scriptSteps are calls of several members in turn.
func scriptSteps() []scriptStep {
	const long = time.Hour - time.Second
	return []scriptStep{
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
}

// run runs the step. claims has the last claim of each member.
func (step *scriptStep) run(t *testing.T, s store, claims map[string]string) {
	t.Helper()
	if step.renew == "" {
		o := outcome{name: testName, claim: claims[step.agree], next: step.next, ledger: step.ledger, agreements: step.told, gone: step.gone}
		err := agreeOnce(t, s, o)
		if step.noTurn {
			require.ErrorIs(t, err, errTurn, step.name)
		} else {
			require.NoError(t, err, step.name)
		}
		return
	}
	record := step.renew + " " + step.name
	all, err := s.renew(t.Context(), step.renew, []renewal{{testName, record, time.Minute}})
	require.NoError(t, err, step.name)
	require.Len(t, all, 1, step.name)
	r := all[0]
	require.NoError(t, r.err, step.name)
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

func TestStores(t *testing.T) {
	run := func(t *testing.T, s store) {
		t.Helper()
		claims := make(map[string]string)
		for _, step := range scriptSteps() {
			step.run(t, s, claims)
		}
	}
	t.Run("memory", func(t *testing.T) { run(t, newMemory()) })
	eachRedis(t, func(t *testing.T, client *redis.Client) {
		t.Helper()
		run(t, newRedisStore(client, "p"))
	})
}
