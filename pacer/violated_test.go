package pacer

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A refusal that names the policies that were violated holds what uses them, and
// nothing else. If it names one that is not known, everything is held.
func TestViolatedPolicies(t *testing.T) {
	free := &Cost{Requests: 1, Others: &[MaxOthers]int64{0}}
	costly := &Cost{Requests: 1, Others: &[MaxOthers]int64{100}}
	for _, row := range []struct {
		name       string
		violated   []string
		held, free bool // everything; what uses no tokens
	}{
		{"none is named", nil, true, false},
		{"that of tokens", []string{"default"}, false, true},
		{"twice", []string{"default", "default"}, false, true},
		{"that of requests", []string{"requests"}, false, false},
		{"both", []string{"default", "requests"}, false, false},
		{"one is not known", []string{"default", "other"}, true, false},
		{"one without a name", []string{"default", ""}, true, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := drive(t, even)
			told := tokens(60_000)
			told.Limits = append(told.Limits, named("requests", 6000, minute, 6000, minute))
			d.answer(d.use(100), told)
			d.advance(second)

			refusal := refuses(told, 30*second)
			refusal.Violated = row.violated
			d.answer(d.use(100), refusal)
			require.Equal(t, row.held, d.p.State(d.now).HeldUntil > d.now)
			require.GreaterOrEqual(t, d.p.Plan(d.now, 0, costly).At.Sub(d.now), 30*second)
			require.Equal(t, row.free, d.p.Plan(d.now, 0, free).At < d.now.Add(second))
			require.Equal(t, row.violated == nil, d.p.trial.unexplained > 0, "what is named explains it")

			d.advance(32 * second)
			require.Less(t, d.p.Plan(d.now, 0, costly).At, d.now.Add(2*second))
		})
	}
}

// A request that was thought to use nothing of a policy and yet violated it shows that
// nobody knows what does: everything is held.
func TestViolatedPolicyThatSeemedFree(t *testing.T) {
	d := drive(t, even)
	d.answer(d.use(100), tokens(60_000))
	refusal := refuses(tokens(60_000), 30*second)
	refusal.Violated = []string{"default"}
	d.answer(d.use(0), refusal)
	require.GreaterOrEqual(t, d.held(), 30*second)
}

// A hold of its own keeps a limit from being forgotten or taken for silent, and
// shows in the State.
func TestViolatedPolicyIsRemembered(t *testing.T) {
	d := drive(t, even)
	d.get(says(60, minute, 50, minute))
	refusal := refuses(says(60, minute, 50, minute), 2*time.Hour)
	refusal.Violated = []string{"default"}
	d.get(refusal)
	require.True(t, d.p.Held(d.now))
	require.InDelta(t, 2*time.Hour, d.p.State(d.now).Limits[0].HeldUntil.Sub(d.now), float64(minute))
	for range 2 * silentMost {
		d.get(clear200())
	}
	d.advance(time.Hour)
	d.get(clear200())
	require.False(t, d.p.Idle(d.now))
	require.Greater(t, d.wait(1), 30*minute)
	d.advance(2 * time.Hour)
	require.True(t, d.p.Idle(d.now))
	require.False(t, d.p.Held(d.now))
	require.Zero(t, d.wait(1))
}
