package fleet

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/fleet/internal/store"
)

const (
	testNow    = 1_700_000_000_000
	testMinute = 60_000
	testLimit  = "limit"
)

// busyUsage returns the use of a busy member of a limit of 60 per minute.
func busyUsage(used, units int64) usage {
	return usage{
		ID: testLimit, Quota: 60, Window: testMinute, Ends: testNow + testMinute/2,
		Used: used, Units: units, Next: units, Share: float64(units) / 60, Busy: true, Remaining: -1,
	}
}

// idleUsage returns the use of a member without waiting requests. It has used some units and expects to need
// rest more of this window, and each of every window.
func idleUsage(used, units int64, rest, each float64) usage {
	u := busyUsage(used, units)
	u.Busy, u.Rest, u.Each = false, rest, each
	return u
}

// tableOf returns the table of members that have just reported these uses.
func tableOf(all map[string]usage) *table {
	t := &table{now: testNow, born: testNow - testMinute, written: testNow - 500, members: make(map[string]member)}
	for id, u := range all {
		t.members[id] = member{at: testNow - 100, record: record{Version: store.Version, Limits: []usage{u}}}
	}
	return t
}

// equals returns n members with the same use.
func equals(n int, u usage) map[string]usage {
	all := make(map[string]usage, n)
	for i := range n {
		all[fmt.Sprint(i)] = u
	}
	return all
}

// agreeAt agrees when the open window is the turn-th one.
func agreeAt(t *table, turn int64) map[string]agreement {
	t.ledger = ledger{Limits: []entry{{ID: testLimit, Ends: testNow + testMinute/2, Turn: turn}}}
	_, told, _ := agree(t)
	return told
}

// partOf returns a member's part of the limit.
func partOf(t *testing.T, all map[string]agreement, id string) part {
	t.Helper()
	a := all[id]
	p := a.limit(testLimit)
	require.NotNil(t, p, id)
	return *p
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

// The open window, and the next ones, are divided by what members need. Nobody has less than it has used.
func TestAgree(t *testing.T) {
	byOthers := busyUsage(5, 0)
	byOthers.Remaining, byOthers.Reported = 20, testNow-100
	before := byOthers
	before.Reported = testNow - testMinute
	for _, row := range []struct {
		name        string
		uses        map[string]usage
		units, next map[string]int64
	}{
		{
			name: "busy members have the same", uses: map[string]usage{"a": busyUsage(0, 0), "b": busyUsage(0, 0), "c": busyUsage(3, 0)},
			units: map[string]int64{"a": 20, "b": 20, "c": 20}, next: map[string]int64{"a": 20, "b": 20, "c": 20},
		},
		{
			name: "one has used more than the same", uses: map[string]usage{"a": busyUsage(50, 50), "b": busyUsage(0, 10)},
			units: map[string]int64{"a": 50, "b": 10}, next: map[string]int64{"a": 30, "b": 10},
		},
		{
			name: "both have sent before they knew of each other", uses: map[string]usage{"a": busyUsage(50, 0), "b": busyUsage(50, 50)},
			units: map[string]int64{"a": 50, "b": 50}, next: map[string]int64{"a": 10, "b": 30},
		},
		{
			name: "an idle one has what it expects to need", uses: map[string]usage{"a": busyUsage(20, 50), "b": idleUsage(1, 3, 2, 4)},
			units: map[string]int64{"a": 57, "b": 3}, next: map[string]int64{"a": 56, "b": 4},
		},
		{
			name: "what nobody needs is everybody's", uses: map[string]usage{"a": idleUsage(0, 0, 0, 0), "b": idleUsage(0, 0, 0, 0)},
			units: map[string]int64{"a": 30, "b": 30}, next: map[string]int64{"a": 30, "b": 30},
		},
		{ // of 35 used units, 4 may be the member's own that are under way: 2, and 60 per minute for 2.5 s
			name: "others than members use it", uses: map[string]usage{"a": byOthers},
			units: map[string]int64{"a": 60 - (35 - 4)}, next: map[string]int64{"a": 60},
		},
		{
			name: "others than members used the last window", uses: map[string]usage{"a": before},
			units: map[string]int64{"a": 60}, next: map[string]int64{"a": 60},
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, told, gone := agree(tableOf(row.uses))
			require.Empty(t, gone)
			require.Equal(t, row.units, unitsOf(t, told))
			require.Equal(t, row.next, nextOf(t, told))
			for id, a := range told {
				require.Equal(t, len(row.uses), a.Members)
				u := row.uses[id]
				require.GreaterOrEqual(t, partOf(t, told, id).MostUnits, u.Used)
			}
		})
	}
}

func TestRaiseWaitsForUnitsGivenBack(t *testing.T) {
	holds := busyUsage(10, 60)
	table := tableOf(map[string]usage{"a": holds, "b": busyUsage(0, 0)})
	l, told, _ := agree(table)
	require.Equal(t, int64(30), partOf(t, told, "a").Units)
	require.Equal(t, int64(0), partOf(t, told, "b").Units, "all of it is a's until a has read that")
	require.False(t, partOf(t, told, "b").Full)

	// Again, before a record of a has come.
	next := func(now, written int64, came ...string) {
		table.now, table.written, table.ledger = now, written, l
		for id, m := range table.members {
			m.last = told[id]
			if slices.Contains(came, id) {
				m.at = now
			}
			table.members[id] = m
		}
		l, told, _ = agree(table)
	}
	next(testNow+250, testNow, "b")
	require.Equal(t, int64(0), partOf(t, told, "b").Units)
	next(testNow+500, testNow+250, "a", "b")
	require.Equal(t, int64(30), partOf(t, told, "b").Units, "a has read it with its renewal")
	require.InDelta(t, 0.5, partOf(t, told, "b").Share, 1e-9)
	require.True(t, partOf(t, told, "b").Full)
}

// All parts together never exceed the quota, whatever members need and whenever their renewals come. Once the
// needs stay the same, the parts add up to the quota.
func TestPartsNeverExceedTheQuota(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 1))
		const n, quota = 7, 100
		stored := &table{now: testNow, born: testNow - testMinute, members: make(map[string]member)}
		var holds [n]usage
		for i := range holds {
			holds[i] = busyUsage(0, 0)
			holds[i].Quota, holds[i].Ends = quota, testNow+testMinute
		}
		sum := func() (units, next int64, share float64) {
			for i := range holds {
				units, next, share = units+holds[i].Units, next+holds[i].Next, share+holds[i].Share
			}
			return units, next, share
		}
		var peakUnits, peakNext int64
		var peakShare float64
		for step := range 2000 {
			stored.now += rng.Int64N(50)
			i := rng.IntN(n)
			id, u := fmt.Sprint(i), &holds[i]
			if step < 1000 {
				u.Busy = rng.IntN(2) == 0
				u.Rest, u.Each = 20*rng.Float64(), 20*rng.Float64()
			} else {
				u.Busy = true
			}
			u.Ends = testNow + testMinute*(1+(stored.now-testNow)/testMinute)
			m := member{at: stored.now, record: record{Version: store.Version, Limits: []usage{*u}}, last: stored.members[id].last}
			stored.members[id] = m
			if p := m.last.limit(testLimit); p != nil { // the reply has it
				u.Units, u.Next, u.Share = p.Units, p.Next, p.Share
			}
			if rng.IntN(3) == 0 {
				stored.now++
				l, told, _ := agree(stored)
				stored.ledger, stored.written = l, stored.now
				for id, m := range stored.members {
					m.last = told[id]
					stored.members[id] = m
				}
			}
			units, next, share := sum()
			peakUnits, peakNext, peakShare = max(peakUnits, units), max(peakNext, next), max(peakShare, share)
		}
		require.LessOrEqual(t, peakUnits, int64(quota))
		require.LessOrEqual(t, peakNext, int64(quota))
		require.LessOrEqual(t, peakShare, 1+1e-9)
		units, next, share := sum()
		require.Equal(t, int64(quota), units)
		require.Equal(t, int64(quota), next)
		require.InDelta(t, 1, share, 1e-6)
	}
}

// Units of a member that is gone count as long as a window may be open in which it has used them. A member that has crashed
// may have gone on for one renewal.
func TestMembersThatAreGone(t *testing.T) {
	const window = 4000
	last := longestRenewal.Milliseconds()
	for _, row := range []struct {
		name      string
		began     int64 // start of the open window, before now
		at, ended int64 // time of the last record of the member that is gone, and end of the window in it, before now
		left      bool
		units     int64 // of the member that stays
		forgotten bool
	}{
		{"it has left", 3000, 100, -1000, true, 60 - 12, false},
		{"it has crashed", 3000, 3001, -1000, false, 60 - 12 - 2, false},
		{"its window is over", 3000, 3500, 0, false, 60, true},
		{"its window is as far away as can be", 3000, 3500, -2*window + 1, false, 60 - 3, false},
		{"its window was not known", 3000, 3500, testNow, false, 60, true},
		{"it may have gone on in the next one", 3000, 3500, 3500 - last + 1, false, 60 - 3, false},
		{"it cannot have gone on so long", 3000, 3500, 3500 - last, false, 60, true},
		{"it went on in the next one and left", 3000, 3500, 3501, true, 60, false},
		{"it went on for a quarter of a window", 3000, 2000 + last, 3000, false, 60 - 5, false},
		{"its clock was ahead", 3000, -10_000, 3000, false, 60, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			a, b := busyUsage(0, 0), busyUsage(12, 20)
			a.Window, a.Ends = window, testNow-row.began+window
			b.Window, b.Ends = window, testNow-row.ended
			table := tableOf(map[string]usage{"a": a, "b": b})
			left := table.members["b"]
			left.at, left.record.Left = testNow-row.at, row.left
			table.members["b"] = left
			_, told, gone := agree(table)
			require.Equal(t, map[string]int64{"a": row.units}, unitsOf(t, told))
			require.Equal(t, map[string]int64{"a": 60}, nextOf(t, told))
			require.Equal(t, row.forgotten, slices.Equal(gone, []string{"b"}))
		})
	}
}

// Nothing is agreed on before the store can know all members.
func TestNoAgreementBeforeAllMembersAreKnown(t *testing.T) {
	for _, row := range []struct {
		name  string
		age   int64
		again bool
		want  bool
	}{
		{"made just now", 0, false, false},
		{"those who begin together are known", newFor.Milliseconds(), false, true},
		{"somebody was told before", newFor.Milliseconds(), true, false},
		{"all of those are known", lostFor.Milliseconds(), true, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			table := tableOf(map[string]usage{"a": busyUsage(0, 0)})
			table.born = testNow - row.age
			a := table.members["a"]
			a.record.Again = row.again
			table.members["a"] = a
			_, told, _ := agree(table)
			require.Equal(t, row.want, len(told) == 1)
		})
	}
}

// An agreement is never larger than members accept.
func TestMostLimits(t *testing.T) {
	table := tableOf(nil)
	for i, id := range []string{"a", "b"} {
		r := record{Version: store.Version}
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

// If the server does not report the window, it is as long as the longest reset of any member.
func TestLongestResetIsTheWindow(t *testing.T) {
	uses := equals(3, busyUsage(0, 0))
	for i, reset := range []int64{20_000, 50_000, 30_000} {
		u := uses[fmt.Sprint(i)]
		u.Window, u.Reset, u.Reported = reset, reset, testNow-int64(i)
		uses[fmt.Sprint(i)] = u
	}
	_, told, _ := agree(tableOf(uses))
	for id := range told {
		require.EqualValues(t, 50_000, partOf(t, told, id).Window)
	}
}

// At the start of a window members send before their records say so. That is no use by others, so nobody loses a turn.
func TestUnitsUnderWay(t *testing.T) {
	uses := equals(120, busyUsage(0, 0))
	for i := range 60 { // all units are sent, and no record says so
		uses[fmt.Sprint(i)] = busyUsage(0, 1)
	}
	for id, u := range uses {
		u.Remaining, u.Reported, u.Ends = 0, testNow-1, testNow+testMinute-1000
		uses[id] = u
	}
	table := tableOf(uses)
	table.ledger.Limits = []entry{{ID: testLimit, Ends: testNow + testMinute - 1000}}
	_, told, _ := agree(table)
	var sum int64
	for _, n := range nextOf(t, told) {
		sum += n
	}
	require.LessOrEqual(t, sum, int64(60))
	d := newDivision(table, testLimit, slices.Sorted(maps.Keys(uses)), nil)
	require.Zero(t, d.outsideUse())
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
		{"none any more", []int64{0}, 0, 0},
		{"no window is that long", []int64{longest + 1}, 0, 0},
		{"the same, as others see it", []int64{35_000}, 30_000, 0},
		{"the next one", []int64{59_000}, -1000, 59_000},
		{"the next one, early", []int64{59_000}, 1000, 59_000},
		{"the same, which is longer than it seemed", []int64{59_000}, 1001, 59_000},
	} {
		t.Run(row.name, func(t *testing.T) {
			table := tableOf(nil)
			for i, ends := range row.ends {
				u := busyUsage(0, 0)
				u.Ends = testNow + ends
				table.members[fmt.Sprint(i)] = member{at: testNow, record: record{Version: store.Version, Limits: []usage{u}}}
			}
			want := entry{ID: testLimit}
			if row.last != 0 {
				want.Ends, want.Turn = testNow+row.last, 3
				table.ledger.Limits = []entry{want}
			}
			if row.want != 0 {
				want.Ends = testNow + row.want
				if row.last <= 1000 {
					want.Turn++
				}
			}
			l, _, _ := agree(table)
			require.Equal(t, []entry{want}, l.Limits)
		})
	}
}

// A member that does not know of a new window yet uses its part of the next one. So that part must be what is
// agreed on once the window is open.
func TestNextPartMatchesNextWindow(t *testing.T) {
	table := tableOf(equals(8, busyUsage(0, 0)))
	moved := false
	for turn := range int64(16) {
		now, then := agreeAt(table, turn), agreeAt(table, turn+1)
		require.Equal(t, unitsOf(t, then), nextOf(t, now), turn)
		moved = moved || !maps.Equal(unitsOf(t, now), unitsOf(t, then))
	}
	require.True(t, moved, "what is left over goes round")
}
