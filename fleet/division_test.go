package fleet

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// idleUsage returns the use of a member without waiting requests. It has used some units and expects to need
// rest more of this window, and each of every window.
func idleUsage(used, units int64, rest, each float64) usage {
	u := busyUsage(used, units)
	u.Busy, u.Rest, u.Each = false, rest, each
	return u
}

// unitsOf and nextOf return the parts of all members.
func unitsOf(t *testing.T, told map[string]agreement) map[string]int64 {
	t.Helper()
	return ofAll(t, told, func(p part) int64 { return p.Units })
}

func nextOf(t *testing.T, told map[string]agreement) map[string]int64 {
	t.Helper()
	return ofAll(t, told, func(p part) int64 { return p.Next })
}

func ofAll(t *testing.T, told map[string]agreement, of func(part) int64) map[string]int64 {
	t.Helper()
	all := make(map[string]int64, len(told))
	for id := range told {
		all[id] = of(partOf(t, told, id))
	}
	return all
}

// equals returns n members with the same use.
func equals(n int, u usage) map[string]usage {
	all := make(map[string]usage, n)
	for i := range n {
		all[fmt.Sprint(i)] = u
	}
	return all
}

// A report with a time in the future comes from a wrong clock, and is ignored.
func TestReadingsFromTheFutureAreIgnored(t *testing.T) {
	lease := leaseFor.Milliseconds()
	for _, row := range []struct {
		name      string
		told      int64
		remaining int64
	}{
		{"older", testNow - 1001, 50},
		{"newer", testNow - 999, 40},
		{"clocks are a little apart", testNow + lease, 40},
		{"of the future", testNow + lease + 1, 50},
	} {
		t.Run(row.name, func(t *testing.T) {
			a, b := busyUsage(0, 0), busyUsage(0, 0)
			a.Remaining, a.Reported = 50, testNow-1000
			b.Remaining, b.Reported = 40, row.told
			for _, all := range []map[string]usage{{"a": a, "b": b}, {"a": b, "b": a}} {
				_, told, _ := agree(tableOf(all))
				for id := range told {
					require.Equal(t, row.remaining, partOf(t, told, id).Remaining, id)
				}
			}
		})
	}
}

func TestWhichWindowIsOpen(t *testing.T) {
	const longest = testMinute + testMinute/4
	for _, row := range []struct {
		name string
		ends []int64 // as members report them, from now
		last int64   // as in the ledger
		want int64   // 0: the ledger's
	}{
		{"the one that ends last", []int64{1000, 31_000, 30_000}, 0, 31_000},
		{"none any more", []int64{-1}, -1, 0},
		{"a little longer than a window", []int64{longest}, 0, longest},
		{"no window is that long", []int64{longest + 1}, 0, 0},
		{"of two the one that can be", []int64{30_000, longest + 1}, 0, 30_000},
		{"the same, as others see it", []int64{35_000}, 30_000, 0},
		{"the next one", []int64{59_000}, -1000, 59_000},
	} {
		t.Run(row.name, func(t *testing.T) {
			table := tableOf(nil)
			for i, ends := range row.ends {
				u := busyUsage(0, 0)
				u.Ends = testNow + ends
				table.members[fmt.Sprint(i)] = member{at: testNow, record: record{Version: version, Limits: []usage{u}}}
			}
			want := entry{ID: testLimit}
			if row.last != 0 {
				want.Ends, want.Turn = testNow+row.last, 3
				table.ledger.Limits = []entry{want}
			}
			if row.want != 0 {
				want.Ends = testNow + row.want
				want.Turn++
			}
			l, _, _ := agree(table)
			require.Equal(t, []entry{want}, l.Limits)
		})
	}
}

// A member that is gone may have used its part of a window that began after its last record, for as long as
// it was alive.
func TestUnreportedUseOfGoneMembers(t *testing.T) {
	const window = 4000
	last := longestRenewal.Milliseconds()
	for _, row := range []struct {
		name      string
		began     int64 // start of the open window, before now
		at, ended int64 // time of the last record of the member that is gone, and end of the window in it, before now
		left      bool
		units     int64 // of the member that stays
	}{
		{"a quarter of a window", 3000, 2000 + last, 3000, false, 60 - 5},
		{"until it left", 3000, 2000, 3000, true, 60 - 5},
		{"hardly anything is a unit", 3000, 2999, 3000, true, 60 - 1},
		{"half a window", 3000, 1000, 3000, true, 60 - 10},
		{"it left before that began", 2500, 3300, 3400, true, 60},
		{"its clock was ahead", 3000, -10_000, 3000, false, 60},
	} {
		t.Run(row.name, func(t *testing.T) {
			a, b := busyUsage(0, 0), busyUsage(30, 30)
			a.Window, a.Ends = window, testNow-row.began+window
			b.Window, b.Ends, b.Next = window, testNow-row.ended, 20
			table := tableOf(map[string]usage{"a": a, "b": b})
			gone := table.members["b"]
			gone.at, gone.record.Left = testNow-row.at, row.left
			table.members["b"] = gone
			_, told, _ := agree(table)
			require.Len(t, told, 1)
			require.Equal(t, row.units, partOf(t, told, "a").Units)
			require.Equal(t, int64(60), partOf(t, told, "a").Next)
		})
	}
}

// Units used by members that are gone are subtracted before the division.
func TestUseOfGoneMembersIsSubtracted(t *testing.T) {
	table := tableOf(map[string]usage{"a": busyUsage(0, 0), "b": busyUsage(0, 0), "gone": busyUsage(12, 20)})
	gone := table.members["gone"]
	gone.record.Left = true
	table.members["gone"] = gone
	_, told, _ := agree(table)
	require.Equal(t, map[string]int64{"a": 24, "b": 24}, unitsOf(t, told))
	require.Equal(t, map[string]int64{"a": 30, "b": 30}, nextOf(t, told))
}

// A member that does not know of a new window yet uses its part of the next one. So that part must be what is
// agreed on once the window is open.
func TestNextPartMatchesNextWindow(t *testing.T) {
	table := tableOf(equals(8, busyUsage(0, 0)))
	at := func(turn int64) map[string]agreement {
		table.ledger = ledger{Limits: []entry{{ID: testLimit, Ends: testNow + testMinute/2, Turn: turn}}}
		_, told, _ := agree(table)
		return told
	}
	moved := false
	for turn := range int64(16) {
		now, then := at(turn), at(turn+1)
		require.Equal(t, unitsOf(t, then), nextOf(t, now), turn)
		moved = moved || !maps.Equal(unitsOf(t, now), unitsOf(t, then))
	}
	require.True(t, moved, "what is left over goes round")
}

// Without windows the part of the next window is that of the open one.
func TestWithoutWindowsAllUnitsAreTheSame(t *testing.T) {
	refills, short := busyUsage(0, 0), busyUsage(0, 0)
	refills.Refills = true
	short.Window, short.Ends = 1000, testNow+500
	for name, u := range map[string]usage{"refills": refills, "short": short} {
		t.Run(name, func(t *testing.T) {
			table := tableOf(equals(8, u))
			moved := false
			var last map[string]int64
			for turn := range 8 {
				table.now = testNow + int64(turn)*turnShort.Milliseconds()
				for id, m := range table.members {
					m.at = table.now
					table.members[id] = m
				}
				_, told, _ := agree(table)
				units := unitsOf(t, told)
				require.Equal(t, units, nextOf(t, told), turn)
				moved = moved || turn > 0 && !maps.Equal(last, units)
				last = units
			}
			require.True(t, moved, "what is left over goes round")
		})
	}
}

// A member that uses its units, including the unit by which its part was rounded up, does not move the units
// of others.
func TestUsesDoNotMoveUnits(t *testing.T) {
	for _, row := range []struct{ quota, members int64 }{{60, 8}, {60, 7}, {20, 30}, {4, 3}} {
		t.Run(fmt.Sprintf("%d for %d", row.quota, row.members), func(t *testing.T) {
			for turn := range int64(8) {
				rng := rand.New(rand.NewPCG(uint64(turn), 2))
				u := busyUsage(0, 0)
				u.Quota = row.quota
				all := equals(int(row.members), u)
				again := func() map[string]int64 {
					table := tableOf(all)
					table.ledger = ledger{Limits: []entry{{ID: testLimit, Ends: u.Ends, Turn: turn}}}
					_, told, _ := agree(table)
					return unitsOf(t, told)
				}
				want := again()
				var left []string // each member, once for each of its units
				for i := range row.members {
					id := fmt.Sprint(i)
					u := all[id]
					u.Units = want[id]
					all[id] = u
					for range u.Units {
						left = append(left, id)
					}
				}
				require.Len(t, left, int(row.quota))
				rng.Shuffle(len(left), func(i, k int) { left[i], left[k] = left[k], left[i] })
				for i, id := range left {
					u := all[id]
					u.Used++
					all[id] = u
					require.Equal(t, want, again(), "turn %d, after %d", turn, i+1)
				}
			}
		})
	}
}

// An idle member's part is at least what it has used.
func TestPartCoversUseOfIdleMember(t *testing.T) {
	_, told, _ := agree(tableOf(map[string]usage{"a": busyUsage(0, 0), "b": idleUsage(40, 40, 0, 0)}))
	require.Equal(t, map[string]int64{"a": 20, "b": 40}, unitsOf(t, told))
}

// A part is at least what the member has used, even if more than the quota was sent before the members knew
// of each other.
func TestPartCoversUseBeforeFirstReport(t *testing.T) {
	_, told, _ := agree(tableOf(map[string]usage{"a": busyUsage(50, 0), "b": busyUsage(50, 50)}))
	require.Equal(t, map[string]int64{"a": 50, "b": 50}, unitsOf(t, told))
	require.Equal(t, int64(50), partOf(t, told, "a").MostUnits)
}

// A part is full only once no other member has any of its units.
func TestPartIsFullOnlyWithAllItsUnits(t *testing.T) {
	holds, waits := busyUsage(10, 60), busyUsage(0, 0)
	holds.Next, holds.Share = 30, 0.5
	waits.Next, waits.Share = 30, 0.5
	_, told, _ := agree(tableOf(map[string]usage{"a": holds, "b": waits}))
	a, b := partOf(t, told, "a"), partOf(t, told, "b")
	require.Equal(t, int64(30), a.Units)
	require.True(t, a.Full)
	require.Zero(t, b.Units, "a has not read that they are b's")
	require.InDelta(t, 0.5, b.Share, 1e-9)
	require.False(t, b.Full)
}

func TestLimitRefillsOnceAnyMemberKnows(t *testing.T) {
	for name, finds := range map[string]string{"nobody": "", "the first": "a", "the last": "c"} {
		t.Run(name, func(t *testing.T) {
			all := make(map[string]usage)
			for _, id := range []string{"a", "b", "c"} {
				u := busyUsage(0, 0)
				u.Refills = id == finds
				all[id] = u
			}
			_, told, _ := agree(tableOf(all))
			require.Len(t, told, len(all))
			for id := range told {
				p := partOf(t, told, id)
				require.Equal(t, finds != "", p.Refills, id)
				require.Equal(t, finds != "", p.Ends == 0, id)
			}
		})
	}
}

// An agreement for an earlier window counts with its units for the next one.
func TestFreeUnitsInNewWindow(t *testing.T) {
	for _, row := range []struct {
		name        string
		units, next int64 // the agreement of a, for the previous window
		free        int64 // for b, which asks for 30 of 60
	}{
		{"what it had of the other is over", 60, 30, 30},
		{"what it has of this one is not free", 0, 45, 15},
	} {
		t.Run(row.name, func(t *testing.T) {
			old := busyUsage(row.units, row.units)
			old.Next, old.Ends = row.next, testNow-100
			last := part{ID: testLimit, Ends: old.Ends, Units: row.units, Next: row.next, MostUnits: row.units, MostNext: row.next, Remaining: -1}
			fresh := busyUsage(0, 0)
			fresh.Ends = old.Ends + testMinute
			table := tableOf(map[string]usage{"a": old, "b": fresh})
			a := table.members["a"]
			a.last = agreement{Version: version, Members: 2, Limits: []part{last}}
			table.members["a"] = a
			table.ledger = ledger{Limits: []entry{{ID: testLimit, Ends: old.Ends, Turn: 7}}}
			_, told, _ := agree(table)
			require.Equal(t, int64(30), partOf(t, told, "a").Units)
			require.Equal(t, row.free, partOf(t, told, "b").Units)
		})
	}
}

// The needs of idle members do not move the units of busy ones, while the needs add up to the same: idle
// members' parts are rounded last.
func TestNeedsOfOthersDoNotMoveUnits(t *testing.T) {
	at := func(turn int64, first, second float64) map[string]agreement {
		table := tableOf(map[string]usage{
			"0": idleUsage(0, 0, first, first), "1": busyUsage(0, 0),
			"2": idleUsage(0, 0, second, second), "3": busyUsage(0, 0), "4": busyUsage(0, 0),
		})
		table.ledger = ledger{Limits: []entry{{ID: testLimit, Ends: testNow + testMinute/2, Turn: turn}}}
		_, told, _ := agree(table)
		return told
	}
	for turn := range int64(16) {
		want := at(turn, 4, 4)
		for _, more := range []float64{0.25, 0.5, 0.75} {
			told := at(turn, 4+more, 4-more)
			for _, id := range []string{"1", "3", "4"} {
				require.Equal(t, partOf(t, want, id).Units, partOf(t, told, id).Units, "turn %d, %v more", turn, more)
				require.Equal(t, partOf(t, want, id).Next, partOf(t, told, id).Next, "turn %d, %v more", turn, more)
			}
		}
	}
}
