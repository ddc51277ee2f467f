package fleet

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// A member that is gone is remembered for as long as a window may be open in which it has used units.
func TestHowLongMembersAreRemembered(t *testing.T) {
	const (
		window  = 10_000
		crashed = testNow - 4000 // longer ago than a lease
	)
	last := longestRenewal.Milliseconds() // a crashed member may have sent until then
	for _, row := range []struct {
		name             string
		at, ends, window int64
		left             bool
		want             bool
	}{
		{"its window is open", crashed, testNow + 1, window, false, true},
		{"its window is over", crashed, testNow, window, false, false},
		{"its window is as far away as can be", crashed, testNow + 2*window - 1, window, false, true},
		{"no window ends so far away", crashed, testNow + 2*window, window, false, false},
		{"it may have gone on in the next one", crashed, crashed + last - 1, window, false, true},
		{"it cannot have gone on so long", crashed, crashed + last, window, false, false},
		{"it went on in the next one and left", crashed, crashed - 1, window, true, true},
		{"it left before the next one", crashed, crashed + 1, window, true, false},
		{"the next one is open", testNow - window - last + 2, testNow - window + 1, window, false, true},
		{"the next one is over, too", testNow - window - last + 1, testNow - window, window, false, false},
		{"its window was not known", crashed, 0, mostTime, false, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			u := busyUsage(1, 1)
			u.Ends, u.Window = row.ends, row.window
			table := tableOf(nil)
			table.members["a"] = member{at: row.at, record: record{Version: version, Left: row.left, Limits: []usage{u}}}
			ids, dead, gone := table.living()
			require.Empty(t, ids)
			if row.want {
				require.Equal(t, []string{"a"}, dead)
				require.Empty(t, gone)
			} else {
				require.Empty(t, dead)
				require.Equal(t, []string{"a"}, gone)
			}
		})
	}
}

// At most mostDead members that are gone are remembered: the last ones to go.
func TestMostMembersThatAreRemembered(t *testing.T) {
	const more = 5
	table := tableOf(map[string]usage{"there": busyUsage(0, 0)})
	for i := range mostDead + more {
		m := member{at: testNow - 10_000 - int64(i*7919%(mostDead+more)), record: record{Version: version, Limits: []usage{busyUsage(1, 1)}}}
		table.members[fmt.Sprintf("%04d", i)] = m
	}
	ids, dead, gone := table.living()
	require.Equal(t, []string{"there"}, ids)
	require.Len(t, dead, mostDead)
	require.Len(t, gone, more)
	for _, id := range dead {
		require.Greater(t, table.members[id].at, int64(testNow-10_000-mostDead), id)
	}
	for _, id := range gone {
		require.LessOrEqual(t, table.members[id].at, int64(testNow-10_000-mostDead), id)
	}
}

// An agreement is never larger than members accept.
func TestMostLimits(t *testing.T) {
	table := tableOf(nil)
	for i, id := range []string{"a", "b"} {
		r := record{Version: version}
		for k := range mostLimits {
			u := busyUsage(0, 0)
			u.ID = fmt.Sprintf("%02d", 2*k+i)
			r.Limits = append(r.Limits, u)
		}
		table.members[id] = member{at: testNow, record: r}
	}
	l, told, _ := agree(table)
	require.Len(t, l.Limits, mostLimits)
	for i, e := range l.Limits {
		require.Equal(t, fmt.Sprintf("%02d", i), e.ID, "the same ones each time")
	}
	_, err := parseLedger(encode(l))
	require.NoError(t, err)
	for id, a := range told {
		require.Len(t, a.Limits, mostLimits/2, id)
	}
}
