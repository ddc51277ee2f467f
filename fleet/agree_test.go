package fleet

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
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

// tableOf returns the table of members that have just reported these uses.
func tableOf(all map[string]usage) *table {
	t := &table{now: testNow, born: testNow - testMinute, written: testNow - 500, members: make(map[string]member)}
	for id, u := range all {
		t.members[id] = member{at: testNow - 100, record: record{Version: version, Limits: []usage{u}}}
	}
	return t
}

// partOf returns a member's part of the limit.
func partOf(t *testing.T, all map[string]agreement, id string) part {
	t.Helper()
	a := all[id]
	p := a.limit(testLimit)
	require.NotNil(t, p, id)
	return *p
}

func TestBusyMembersDivideTheQuota(t *testing.T) {
	table := tableOf(map[string]usage{"a": busyUsage(0, 0), "b": busyUsage(0, 0), "c": busyUsage(3, 0)})
	_, told, gone := agree(table)
	require.Empty(t, gone)
	for _, id := range []string{"a", "b", "c"} {
		p := partOf(t, told, id)
		require.Equal(t, int64(20), p.Units, id)
		require.Equal(t, int64(20), p.Next, id)
		require.InDelta(t, 1.0/3, p.Share, 1e-9, id)
		require.True(t, p.Full, id)
		require.Equal(t, 3, told[id].Members)
	}
}

// If units cannot be divided evenly, another member gets the rest in each window.
func TestUndividableUnitsTakeTurns(t *testing.T) {
	var got [8]int64
	table := tableOf(nil)
	for i := range got {
		table.members[fmt.Sprint(i)] = member{at: testNow, record: record{Version: version, Limits: []usage{busyUsage(0, 0)}}}
	}
	for turn := range int64(16) {
		table.ledger = ledger{Limits: []entry{{ID: testLimit, Ends: testNow + testMinute/2, Turn: turn}}}
		_, told, _ := agree(table)
		var sum int64
		for i := range got {
			n := partOf(t, told, fmt.Sprint(i)).Units
			require.Contains(t, []int64{7, 8}, n)
			got[i], sum = got[i]+n, sum+n
		}
		require.Equal(t, int64(60), sum)
	}
	for i := range got {
		require.InDelta(t, 16*7.5, float64(got[i]), 1)
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

func TestPartCoversUse(t *testing.T) {
	table := tableOf(map[string]usage{"a": busyUsage(50, 60), "b": busyUsage(0, 0)})
	_, told, _ := agree(table)
	require.Equal(t, int64(50), partOf(t, told, "a").Units)
}

func TestIdleMembersGiveUnitsAway(t *testing.T) {
	idle := busyUsage(1, 10)
	idle.Busy, idle.Each, idle.Rest = false, 4, 2
	table := tableOf(map[string]usage{"a": busyUsage(20, 50), "b": idle})
	_, told, _ := agree(table)
	require.Equal(t, int64(3), partOf(t, told, "b").Units, "what it has used and expects to need")
	require.Equal(t, int64(4), partOf(t, told, "b").Next)
	require.False(t, partOf(t, told, "b").Full, "it can have more")

	none := idle
	none.Used, none.Units, none.Each, none.Rest = 0, 0, 0, 0
	_, told, _ = agree(tableOf(map[string]usage{"a": none, "b": none}))
	require.Equal(t, int64(60), partOf(t, told, "a").Next+partOf(t, told, "b").Next, "what nobody needs is everybody's")
}

func TestMembersThatAreGone(t *testing.T) {
	used := busyUsage(12, 20)
	for _, row := range []struct {
		name   string
		change func(*member)
		gone   bool
		units  int64 // of the member that stays
	}{
		{"there", func(*member) {}, false, 30},
		{"has left", func(m *member) { m.record.Left = true }, false, 48},
		{"has crashed", func(m *member) { m.at = testNow - leaseFor.Milliseconds() - 1 }, false, 48 - 1},
		{"its clock is ahead", func(m *member) { m.at = testNow + leaseFor.Milliseconds() + 1 }, false, 48 - 1},
		{"and its window, too", func(m *member) {
			m.record.Left = true
			m.record.Limits = []usage{busyUsage(12, 20)}
			m.record.Limits[0].Ends = testNow - 1
		}, true, 60},
	} {
		t.Run(row.name, func(t *testing.T) {
			table := tableOf(map[string]usage{"a": busyUsage(0, 0), "b": used})
			b := table.members["b"]
			row.change(&b)
			table.members["b"] = b
			_, told, gone := agree(table)
			require.Equal(t, row.gone, len(gone) == 1)
			require.InDelta(t, row.units, partOf(t, told, "a").Units, 0)
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

func TestANewWindow(t *testing.T) {
	has := func(u usage) member {
		last := part{ID: testLimit, Ends: u.Ends, Units: u.Units, Next: u.Next, MostUnits: u.Units, MostNext: u.Next, Share: u.Share, MostShare: u.Share, Remaining: -1}
		return member{at: testNow - 100, record: record{Version: version, Limits: []usage{u}}, last: agreement{Version: version, Members: 2, Limits: []part{last}}}
	}
	old := busyUsage(40, 40)
	old.Next, old.Ends = 30, testNow-100
	fresh := busyUsage(1, 30)
	fresh.Ends = old.Ends + testMinute
	table := tableOf(nil)
	table.members = map[string]member{"a": has(old), "b": has(fresh)}
	table.ledger = ledger{Limits: []entry{{ID: testLimit, Ends: old.Ends, Turn: 7}}}
	l, told, _ := agree(table)
	require.Equal(t, []entry{{ID: testLimit, Ends: fresh.Ends, Turn: 8}}, l.Limits)
	require.Equal(t, int64(30), partOf(t, told, "a").Units, "what it uses of it is yet to come")
	require.Equal(t, int64(30), partOf(t, told, "b").Units)
}

// Limits that refill, and limits with short windows, have no open window to divide.
func TestNoWindows(t *testing.T) {
	short := busyUsage(0, 0)
	short.Quota, short.Window, short.Ends = 10, 1000, testNow+500
	refills := busyUsage(0, 0)
	refills.Refills = true
	for name, u := range map[string]usage{"short": short, "refills": refills} {
		t.Run(name, func(t *testing.T) {
			_, told, _ := agree(tableOf(map[string]usage{"a": u, "b": u}))
			for _, id := range []string{"a", "b"} {
				p := partOf(t, told, id)
				require.Zero(t, p.Ends)
				require.Equal(t, u.Quota/2, p.Next)
				require.Equal(t, p.Next, p.Units)
				require.InDelta(t, 0.5, p.Share, 1e-9)
			}
		})
	}
}

func TestUseByOtherClients(t *testing.T) {
	u := busyUsage(5, 0)
	u.Remaining, u.Reported = 20, testNow-100
	_, told, _ := agree(tableOf(map[string]usage{"a": u}))
	// The server reports 35 of 40 used units that are not the member's own. Up to 4 of them may be under way:
	// 2, and 60 per minute for 2.5 s.
	require.Equal(t, int64(60-(35-4)), partOf(t, told, "a").Units)
	u.Reported = testNow - testMinute // in the previous window
	_, told, _ = agree(tableOf(map[string]usage{"a": u}))
	require.Equal(t, int64(60), partOf(t, told, "a").Units)
}

func TestHoldsAndReadingsReachAllMembers(t *testing.T) {
	a, b := busyUsage(0, 0), busyUsage(0, 0)
	a.Remaining, a.Reported = 50, testNow-2000
	b.Remaining, b.Reported, b.Held = 40, testNow-1000, testNow+5000
	table := tableOf(map[string]usage{"a": a, "b": b})
	m := table.members["a"]
	m.record.Held = testNow + 9000
	table.members["a"] = m
	_, told, _ := agree(table)
	for id := range told {
		require.Equal(t, int64(testNow+9000), told[id].Held)
		p := partOf(t, told, id)
		require.Equal(t, int64(40), p.Remaining)
		require.Equal(t, int64(testNow-1000), p.Reported)
		require.Equal(t, int64(testNow+5000), p.Held)
	}
}

// All parts together never exceed the quota, whatever members need and whenever their renewals come. Once the
// needs stay the same, the parts add up to the quota.
func TestPartsNeverExceedTheQuota(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 1))
		const n, quota = 7, 100
		store := &table{now: testNow, born: testNow - testMinute, members: make(map[string]member)}
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
			store.now += rng.Int64N(50)
			i := rng.IntN(n)
			id, u := fmt.Sprint(i), &holds[i]
			if step < 1000 {
				u.Busy = rng.IntN(2) == 0
				u.Rest, u.Each = 20*rng.Float64(), 20*rng.Float64()
			} else {
				u.Busy = true
			}
			u.Ends = testNow + testMinute*(1+(store.now-testNow)/testMinute)
			m := member{at: store.now, record: record{Version: version, Limits: []usage{*u}}, last: store.members[id].last}
			store.members[id] = m
			if p := m.last.limit(testLimit); p != nil { // the reply has it
				u.Units, u.Next, u.Share = p.Units, p.Next, p.Share
			}
			if rng.IntN(3) == 0 {
				store.now++
				l, told, _ := agree(store)
				store.ledger, store.written = l, store.now
				for id, m := range store.members {
					m.last = told[id]
					store.members[id] = m
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
