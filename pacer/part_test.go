package pacer_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/pacer"
)

// usage is what the client reports while nobody waits.
func (d *driver) usage() limits.Usage { return d.p.Usage(d.now, func(pacer.LimitSet) int { return 0 }) }

// allot gives the client the parts that the fleet has agreed on.
func (d *driver) allot(parts limits.Parts) { d.p.Apportion(d.now, &parts, 1000*day) }

// agree gives the client its part of a limit, for the rest of the test.
func (d *driver) agree(in limits.Part) { d.agreeFor(day, in) }

func (d *driver) agreeFor(lasts time.Duration, in limits.Part) {
	d.allot(limits.Parts{Lasts: lasts, Limits: []limits.Part{in}})
}

// own is the client's part of the only limit: units in the open window, and next in each window after it.
// No larger part can be had.
func (d *driver) own(units, next int64, share float64) limits.Part {
	d.t.Helper()
	l := d.usage().Limits[0]
	return limits.Part{ID: l.ID, Units: units, Next: next, Share: share, Full: true, Remaining: unknown, Ends: l.Ends}
}

// sharedWindow is a server's window that a client shares with others. At the beginning of each window the
// others use the given number of units.
func sharedWindow(quota, others int64) func(now pacer.Instant) pacer.Answer {
	begins, own := start, int64(0)
	return func(now pacer.Instant) pacer.Answer {
		for now >= begins.Add(minute) {
			begins, own = begins.Add(minute), 0
		}
		own++
		return says(quota, minute, quota-others-own, begins.Add(minute).Sub(now))
	}
}

// A part bounds the requests of the open window, including those sent before the part arrived. Next bounds
// each later window until a new part arrives, with or without responses. As nobody has seen the end of the first window, the
// next request may go a second late, and so may the one that would be the last of a window.
func TestPartOfAWindow(t *testing.T) {
	for _, row := range []struct {
		name        string
		units, next int64
		others      int64
		first, then int // requests sent in the first window and in each later one
	}{
		{"less than even", 10, 5, 0, 10, 5},
		{"less and then more", 5, 40, 0, 5, 40},
		{"all of it", 60, 60, 0, 60, 60},
		{"others leave less of it", 40, 40, 50, 10, 10},
		{"others leave as much", 30, 30, 30, 30, 30},
		{"as much as was sent already", 1, 30, 0, 1, 30},
		{"less than was sent already", 0, 30, 0, 1, 30},
		{"less than nothing", -5, 30, 0, 1, 30},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := drive(t, even)
			serve := sharedWindow(60, row.others)
			d.get(serve(d.now))
			d.agree(d.own(row.units, row.next, 0.5))
			answer := func() pacer.Answer { return serve(d.now) }
			require.Equal(t, row.first, 1+d.goOn(minute, answer))
			for _, end := range []time.Duration{2 * minute, 3 * minute} {
				n := d.goOn(end, answer)
				require.LessOrEqual(t, n, row.then)
				require.GreaterOrEqual(t, n, row.then-1)
			}
			require.Equal(t, row.then, d.goOn(4*minute, answer))
		})
	}
	d := drive(t, even)
	d.get(says(60, minute, 59, minute))
	d.agree(d.own(10, 7, 0.5))
	for end, want := range []int{9, 7, 7} {
		require.Equal(t, want, d.goOn(time.Duration(end+1)*minute, nil))
	}
}

// A client that may send nothing in this window and the next one does not send when this one ends.
func TestNoTurn(t *testing.T) {
	d := drive(t, even)
	d.get(says(60, 20*second, 59, 20*second))
	d.agree(d.own(0, 0, 0.5))
	d.advance(5 * second)
	require.Greater(t, d.plan().At, start.Add(20*second))
	require.Zero(t, d.goOn(50*second, nil), "a minute after the last response it looks")
}

// The end of a window is known to a second. Once another client has seen that it is over, the part of the new one counts.
func TestAnotherSawTheEnd(t *testing.T) {
	for _, row := range []struct {
		name  string
		after time.Duration // the beginning of the window
		units int64
		want  time.Duration // the wait
	}{
		{"it may have ended", minute - second/2, 5, 0},
		{"the part has none", minute - second/2, 0, second / 2},
		{"it cannot have ended yet", minute - 2*second, 5, second},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := drive(t, even)
			d.get(says(60, minute, 59, minute))
			part := d.own(1, 5, 0.1)
			d.agree(part)
			d.now = start.Add(row.after)
			part.Units, part.Ends = row.units, minute
			if row.want == second { // of the old window nothing is left, so Next is that of the new one
				part.Next = 1
			}
			d.agree(part)
			if row.want == 0 {
				d.wantWait(0)
			} else {
				require.GreaterOrEqual(t, d.plan().At, d.now.Add(row.want))
			}
		})
	}
}

// If no response reports the window, that of the fleet counts. The client reports its own longest reset, and the end of a
// window only if a response told it.
func TestWindowOfAFleet(t *testing.T) {
	for _, row := range []struct {
		name        string
		window      time.Duration // as reported
		reset, told time.Duration
		refills     bool
		want, own   time.Duration
	}{
		{"longer than the own resets", -1, 20 * second, minute, false, minute, 20 * second},
		{"shorter than the own resets", -1, 20 * second, 10 * second, false, 20 * second, 20 * second},
		{"of an own reset that says little", -1, second, minute, false, minute, second},
		{"too short to say anything", -1, 20 * second, second, false, 20 * second, 20 * second},
		{"impossibly long", -1, 20 * second, 1000 * day, false, 32 * day, 20 * second},
		{"of a limit that refills", -1, 20 * second, minute, true, 20 * second, 20 * second},
		{"though the server reports it", minute, 20 * second, 2 * minute, false, minute, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := drive(t, even)
			d.get(says(60, row.window, 59, row.reset))
			part := d.own(30, 30, 0.5)
			part.Window, part.Refills = row.told, row.refills
			d.agree(part)
			u := d.usage().Limits[0]
			require.Equal(t, row.want, u.Window)
			require.Equal(t, row.own, u.Reset)
			require.Positive(t, u.Ends)
			d.advance(row.reset + second)
			require.Equal(t, row.window > 0, d.usage().Limits[0].Ends != 0, "the next window")
		})
	}
}

// A request that costs more than the part is sent when nothing of the part is used yet, as no later window
// would offer more.
func TestCostAboveThePart(t *testing.T) {
	costly := pacer.Cost{Requests: 20}
	d := drive(t, even)
	d.get(says(100, minute, 99, minute))
	d.agree(d.own(13, 12, 0.125))
	d.wantWaitAs(pacer.Cost{Requests: 12}, d.wait())
	require.Greater(t, d.waitAs(costly), 30*second, "one is used already")
	for range 3 { // into the next window, and then to the next slot
		d.advance(d.waitAs(costly))
	}
	d.wantWaitAs(costly, 0)
	d.sendAs(costly)
	require.Greater(t, d.wait(), 30*second, "all of the part, and more")
}

// The part of a limit that refills is a share of its pace, down to less than one request per window. The
// remaining quota that other clients leave does not stop the client.
func TestPartOfARefillingLimit(t *testing.T) {
	for share, want := range map[float64]time.Duration{1: second, 0.25: 4 * second, 0.01: 100 * second, 1e-5: 100_000 * second} {
		d := drive(t, even)
		d.get(says(60, minute, 59, minute))
		in := d.own(0, 0, share)
		in.Refills = true
		d.agreeFor(1000*day, in)
		require.True(t, d.limit().Refills)
		d.proceed()
		d.wantWaitWithin(want/2, want)
		for left := int64(5); left >= 0; left-- {
			d.advance(d.wait())
			d.get(says(60, minute, left, minute))
			d.wantWaitWithin(want/2, max(want+15*second, want*14/10))
		}
	}
}

// A client adopts other clients' finding that a limit refills, while they report it. It does not report it
// as its own finding, so one client's mistake cannot stay in the fleet for ever.
func TestReportedRefill(t *testing.T) {
	d := drive(t, even)
	d.get(says(60, minute, 59, minute))
	in := d.own(0, 0, 0.5)
	in.Refills = true
	report := func() {
		d.agreeFor(3*second, in)
	}
	report()
	require.True(t, d.limit().Refills)
	require.False(t, d.usage().Limits[0].Refills)
	for range 5 {
		report()
		require.Less(t, d.wait(), 30*second, "there is no window whose units it would wait for")
		d.advance(d.wait())
		report()
		d.send(1)
	}
	in.Refills, in.Units, in.Next = false, 20, 20
	report()
	require.False(t, d.limit().Refills, "they have changed their minds")
	in.Refills = true
	report()
	d.advance(3 * second)
	require.False(t, d.limit().Agreed)
	d.send(1)
	require.False(t, d.limit().Refills, "nobody says so any more")
}

// A client with a full part waits for the window's end, or for its pace. One that can get a larger part waits as long if
// none comes, but nobody knows. It plans again within a
// second.
func TestPartThatIsNotFull(t *testing.T) {
	for _, row := range []struct {
		name    string
		units   int64
		share   float64
		refills bool
		full    time.Duration // the wait if no larger part can be had
	}{
		{"used up", 2, 0.5, false, minute},
		{"a long interval", 4, 0.5, false, 20 * second},
		{"a long interval of a limit that refills", 0, 0.01, true, 51 * second},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := drive(t, even)
			d.get(says(60, minute, 59, minute))
			d.get(says(60, minute, 58, minute))
			part := d.own(row.units, row.units, row.share)
			part.Refills = row.refills
			agree := func() {
				d.agreeFor(3*second, part)
			}
			agree()
			require.False(t, d.p.PartMayGrow())
			require.InDelta(t, row.full.Seconds(), d.wait().Seconds(), 9)
			require.True(t, d.p.Plan(d.now, 1, &one).Known, "nothing can come sooner")

			part.Full = false
			agree()
			require.True(t, d.p.PartMayGrow())
			d.wantWait(second)
			require.False(t, d.plan().Known, "no deadline is too soon for that")
			require.NotEqual(t, pacer.CauseNone, d.plan().Cause)
			require.False(t, d.p.Plan(d.now, 1, &one).Known, "a larger part may come")
			part.Held = 20 * second
			agree()
			require.GreaterOrEqual(t, d.wait(), 20*second, "a hold is no shorter for it")
			require.True(t, d.plan().Known)
		})
	}
	d := drive(t, even)
	require.False(t, d.p.PartMayGrow(), "no limit is known")
	d.get(says(60, unknown, 59, unknown))
	require.False(t, d.p.PartMayGrow(), "nobody can get more of a limit that is not shared")
	require.Empty(t, d.usage().Limits)
}

// A hold ends in 15 s. The client's part has no units yet, and may grow within a second: others that go first take as much
// time as they will, and not ten million seconds.
func TestBehindOthersWithoutUnits(t *testing.T) {
	d := drive(t, even)
	d.get(says(6000, minute, 5999, minute))
	nothing := d.own(0, 0, 0)
	nothing.Full = false
	d.agree(nothing)
	d.answer(d.send(0), refuses(says(6000, minute, 0, 15*second), 15*second))
	for _, ahead := range []int64{0, 1, 100} {
		plan := d.p.Plan(d.now, ahead, &pacer.Cost{Requests: 1})
		require.LessOrEqual(t, plan.At.Sub(d.now), minute+second, "behind %d", ahead)
	}
}

// When a part expires, the measured share begins at the part's share.
func TestPartLapses(t *testing.T) {
	for _, row := range []struct {
		name  string
		share float64
	}{{"a little", 0.1}, {"more", 0.6}, {"all", 1}} {
		t.Run(row.name, func(t *testing.T) {
			d := drive(t, even)
			d.get(says(1000, hour, 999, hour))
			d.agreeFor(3*second, d.own(100, 100, row.share))
			d.advance(3*second - 1)
			require.True(t, d.limit().Agreed)
			require.InDelta(t, row.share, d.limit().Share, 1e-8)
			d.advance(1)
			require.False(t, d.limit().Agreed)
			d.get(says(1000, hour, 998, hour-3*second))
			require.GreaterOrEqual(t, d.limit().Share, 0.99*row.share)
			require.Less(t, d.limit().Share, 1.4*row.share)
		})
	}
}

// A client in a fleet spends no burst credit for a second, or until its part arrives. Then it spends only
// its part of the credit.
func TestAwaitedPart(t *testing.T) {
	for _, row := range []struct {
		name    string
		arrives time.Duration // when the part arrives, after the first response; 0: never
		units   int64
		most    int // requests sent at once then
	}{
		{"never", 0, 0, 11},
		{"soon", second / 2, 30, 6},
		{"soon, and little", second / 2, 5, 4},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := drive(t, pacer.Config{Jitter: -1})
			d.p.AwaitParts()
			d.get(says(60, minute, 59, minute))
			d.wantWait(second)
			require.False(t, d.limit().Agreed)
			require.True(t, d.p.PartMayGrow())
			if row.arrives > 0 {
				d.advance(row.arrives)
				d.agree(d.own(row.units, 24, 0.5))
			} else {
				d.advance(second)
			}
			require.Equal(t, row.arrives > 0, d.limit().Agreed)
			n := d.burst()
			require.Positive(t, n)
			require.LessOrEqual(t, n, row.most, "its credit, and the one that waited")
		})
	}
	d := drive(t, pacer.Config{Jitter: -1})
	d.p.AwaitParts()
	flight := d.send(1)
	d.get(says(600, minute, 599, minute))
	d.answer(flight, refuses(ok(), 5*second))
	d.advance(second / 2)
	d.agree(d.own(300, 300, 0.5))
	d.wantWait(5 * second) // 4.5 s of the hold, and half a second of spread
}

// A hold that another client reports holds this client too, and its requests resume spread over a second.
// No report shortens a hold. Holds that are over, or that differ only by clock error, change nothing.
func TestHoldOfAnotherClient(t *testing.T) {
	for name, hold := range map[string]func(d *driver, long time.Duration) limits.Parts{
		"on everything, as the part is over": func(_ *driver, long time.Duration) limits.Parts { return limits.Parts{Held: long} },
		"on the limit": func(d *driver, long time.Duration) limits.Parts {
			in := d.own(600, 600, 1)
			in.Held = long
			return limits.Parts{Lasts: day, Limits: []limits.Part{in}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, u := range []float64{0, 0.5, 0.99} {
				d := drive(t, even)
				d.get(says(600, minute, 599, minute))
				d.advance(5 * second)
				d.u = u
				back := func(until time.Duration) time.Duration { return until + time.Duration(u*float64(second)) }
				flight := d.send(1)
				d.allot(hold(d, 20*second))
				require.True(t, d.p.Held(d.now))
				d.wantWait(back(20 * second))
				require.True(t, d.plan().Known)
				require.Equal(t, pacer.CauseHold, d.plan().Cause)
				for _, long := range []time.Duration{10 * second, 0, math.MinInt64, 20*second + second/2} {
					d.allot(hold(d, long))
					d.wantWait(back(20 * second))
				}
				d.allot(hold(d, 30*second))
				d.wantWait(back(30 * second))
				d.answer(flight, ok())
				d.wantWait(back(30 * second))
				d.advance(back(30 * second))
				require.False(t, d.p.Held(d.now))
				d.wantWait(0)
			}
		})
	}
}

// Usage reports each hold, on everything or on single limits, so that one refusal stops all clients of the
// fleet.
func TestUsageTellsOfHolds(t *testing.T) {
	for _, row := range []struct {
		name   string
		answer pacer.Answer
		limit  bool // the hold is on the limit alone
	}{
		{"nothing reported", bare429(), false},
		{"Retry-After", refuses(ok(), 90*second), false},
		{"a limit that is used up", refuses(says(60, minute, 0, 30*second), unknown), true},
		{"a limit that is used up, and Retry-After", refuses(says(60, minute, 0, 30*second), 90*second), true},
		{"a limit that is used up and not shared", refuses(says(60, unknown, 0, unknown), 90*second), false},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := drive(t, even)
			d.get(row.answer)
			long := d.held()
			require.Positive(t, long)
			all := d.usage()
			require.Equal(t, row.limit, all.Held == 0)
			other := drive(t, even)
			other.get(says(60, minute, 59, minute))
			parts := limits.Parts{Lasts: day, Held: all.Held}
			for _, l := range all.Limits {
				require.Equal(t, long, max(l.Held, all.Held))
				in := other.own(60, 60, 1)
				in.Held = l.Held
				parts.Limits = append(parts.Limits, in)
			}
			other.allot(parts)
			require.GreaterOrEqual(t, other.wait(), long)
		})
	}
}

// A client adopts the remaining quota that another client received if it is newer and from the same window.
// It does not do so while its own requests are in flight, as the other client's report may or may not count
// them.
func TestRemainingOfAnotherClient(t *testing.T) {
	const known, reported = 47, 20
	for _, row := range []struct {
		name   string
		change func(in *limits.Part)
		want   int64
	}{
		{"newer", func(*limits.Part) {}, reported},
		{"newer, nothing left", func(in *limits.Part) { in.Remaining = 0 }, 0},
		{"now", func(in *limits.Part) { in.Age = 0 }, reported},
		{"of the same moment", func(in *limits.Part) { in.Age = 2 * second }, known},
		{"older", func(in *limits.Part) { in.Age = 3 * second }, known},
		{"of the future", func(in *limits.Part) { in.Age = -hour }, known},
		{"never", func(in *limits.Part) { in.Age = 1000 * day }, known},
		{"not known", func(in *limits.Part) { in.Remaining = unknown }, known},
		{"less than nothing", func(in *limits.Part) { in.Remaining = math.MinInt64 }, known},
		{"more than there can be", func(in *limits.Part) { in.Remaining = math.MaxInt64 }, 60},
		{"refills, as others have found", func(in *limits.Part) { in.Refills = true }, known},
	} {
		t.Run(row.name, func(t *testing.T) {
			for flight, want := range map[bool]int64{false: row.want, true: known - 1} {
				d := drive(t, even)
				d.get(says(60, minute, known, minute))
				if flight {
					d.send(1)
				}
				d.advance(2 * second)
				in := d.own(60, 60, 1)
				in.Remaining, in.Age = reported, second
				row.change(&in)
				d.agree(in)
				require.Equal(t, want, d.limit().Remaining)
				d.send(1)
				require.Equal(t, max(0, want-1), d.limit().Remaining, "less what is sent from then on")
			}
		})
	}
	for after, want := range map[time.Duration]int64{-second / 10: 60, second / 10: 0} { // time of the report, after the window's end
		d := drive(t, even)
		d.get(says(60, minute, 59, minute))
		end := d.limit().LatestEnd
		d.now = end.Add(2 * second)
		in := d.own(30, 30, 0.5)
		in.Remaining, in.Age = 0, d.now.Sub(end.Add(after))
		d.agree(in)
		require.Equal(t, want, d.limit().Remaining, "what was reported before a window began is not of that")
	}
}

// The end of a window counts as known once it is past, until another window begins: the middle of what it may be is told.
func TestUsageHasAnEndThatIsPast(t *testing.T) {
	d := drive(t, even)
	d.get(says(120, minute, 119, unknown))
	for _, after := range []time.Duration{10 * second, 29 * second, 31 * second, 59 * second} {
		d.now = start.Add(after)
		require.Equal(t, 30*second-after, d.usage().Limits[0].Ends)
	}
}

// A fleet knows a limit by its name, or by its quota if it has none.
func TestUsageNamesLimits(t *testing.T) {
	d := drive(t, even)
	d.get(several(named("", 60, minute, 59, minute), named("day", 1000, day, 999, day)))
	require.Equal(t, limits.ID{Unit: limits.Requests, Quota: 60}, d.usage().Limits[0].ID)
	require.Equal(t, limits.ID{Policy: "day", Unit: limits.Requests}, d.usage().Limits[1].ID)
}
