package pacer

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A hold is told, be it on everything or on what uses some limits, so that one refusal
// stops all clients.
func TestUsageTellsOfHolds(t *testing.T) {
	for _, row := range []struct {
		name   string
		answer Answer
		limit  bool // it is on the limit alone
	}{
		{"nothing told", bare429(), false},
		{"Retry-After", refuses(clear200(), 90*second), false},
		{"a limit that is used up", refuses(says(60, minute, 0, 30*second), Unknown), true},
		{"a limit that is used up, and Retry-After", refuses(says(60, minute, 0, 30*second), 90*second), true},
		{"a limit that is used up and cannot be told of", refuses(says(60, Unknown, 0, Unknown), 90*second), false},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := drive(t, even)
			d.get(row.answer)
			until := d.now.Add(d.held())
			require.Greater(t, until, d.now)
			all := d.p.Usage(d.now)
			if row.limit {
				require.LessOrEqual(t, all.HeldUntil, d.now)
				require.Equal(t, until, all.Limits[0].HeldUntil)
			} else {
				require.Equal(t, until, all.HeldUntil)
			}

			other := drive(t, even)
			other.get(says(60, minute, 59, minute))
			parts := Parts{Until: Never, Members: 2, HeldUntil: all.HeldUntil}
			for _, l := range all.Limits {
				parts.Limits = append(parts.Limits, Part{Policy: l.Policy, Unit: l.Unit, Share: 1, Units: 60, Next: 60, Full: true, Remaining: Unknown, HeldUntil: l.HeldUntil})
			}
			other.apportion(parts)
			require.GreaterOrEqual(t, other.wait(1), until.Sub(other.now))
		})
	}
}

// Of a limit that becomes known after many requests that had nothing to do with it, no more
// are counted than are used.
func TestUseOfANewLimit(t *testing.T) {
	d := drive(t, even)
	for range 1000 {
		d.get(clear200())
	}
	d.get(says(100, minute, 90, minute))
	require.Equal(t, int64(10), d.p.Usage(d.now).Limits[0].Used)
	d.agree(d.own(50, 50, 0.5))
	require.Equal(t, int64(40), d.limit().mineOf(d.limit().left()))
	require.Less(t, d.wait(1), 5*second)
}

// What cannot be told of nobody can be told more of.
func TestCanHaveMoreOfWhatIsTold(t *testing.T) {
	d := drive(t, even)
	d.get(says(60, Unknown, 59, Unknown))
	require.Empty(t, d.p.Usage(d.now).Limits)
	require.False(t, d.p.CanHaveMore())
}
