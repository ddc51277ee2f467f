package pacer

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// via sends a request by a route.
func (d *driver) via(route uint8) Ticket {
	d.t.Helper()
	ticket := d.p.Send(d.now, &Cost{Requests: 1, Route: route}, d.u)
	d.logf("send #%d by route %d, probe %t", ticket.seq, route, ticket.probe)
	return ticket
}

// getVia sends a request by a route and has it answered at once.
func (d *driver) getVia(route uint8, a Answer) {
	d.t.Helper()
	d.answer(d.via(route), a)
}

// planVia is the plan of a request by a route.
func (d *driver) planVia(route uint8) Plan {
	return d.p.Plan(d.now, 0, &Cost{Requests: 1, Route: route})
}

// waitVia is how long a request by a route has to wait.
func (d *driver) waitVia(route uint8) time.Duration {
	return max(0, d.planVia(route).At.Sub(d.now))
}

// applies lists the policies that requests by a route are thought to use.
func (d *driver) applies(route uint8) []string {
	names := []string{}
	for s := d.p.uses(&Cost{Requests: 1, Route: route}); s != 0; s = s.rest() {
		names = append(names, d.p.limits[s.first()].policyName())
	}
	return names
}

const core, search, third = 1, 2, 3

func coreSays(r int64) Answer   { return several(named("core", 600, minute, r, minute)) }
func searchSays(r int64) Answer { return several(named("search", 10, time.Hour, r, time.Hour)) }

// routed is a partition of two routes that have a limit each, of searches none left.
func routed(t *testing.T) *driver {
	t.Helper()
	d := drive(t, even)
	d.get(coreSays(599)) // when there was but one route
	d.advance(second)
	d.getVia(search, searchSays(0))
	d.advance(second)
	return d
}

func TestLimitsApplyToTheRoutesThatToldThem(t *testing.T) {
	d := routed(t)
	require.Equal(t, []string{"core"}, d.applies(core))
	require.Equal(t, []string{"search"}, d.applies(search))
	require.Zero(t, d.waitVia(core))
	require.Greater(t, d.waitVia(search), 50*minute)
	require.Equal(t, "search", d.planVia(search).Policy)

	before := d.p.State(d.now).Limits
	d.getVia(core, coreSays(598))
	after := d.p.State(d.now).Limits
	require.Equal(t, before[1], after[1], "a request by one route uses nothing of the other's limit")
}

// How many answers of which kind show that a limit does not apply to a route.
func TestLeftOut(t *testing.T) {
	both := several(named("core", 600, minute, 500, minute), named("search", 10, time.Hour, 5, time.Hour))
	indirect := coreSays(400)
	indirect.Indirect = true
	for _, row := range []struct {
		name   string
		route  uint8
		mixed  bool
		answer Answer
		after  int // answers; 0: never
	}{
		{"another is told", search, false, coreSays(400), 1},
		{"another is told, of a route of many kinds", search, true, coreSays(400), absence / saidOneOfAll},
		{"another is told, where routes are not told apart", 0, false, coreSays(400), absence / saidOneOfOne},
		{"nothing is told", search, false, clear200(), absence / saidNothing},
		{"it is told, too", search, false, both, 0},
		{"a gateway or a cache tells another", search, false, indirect, 0},
		{"a refusal tells another", search, false, refuses(coreSays(400), 0), 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := drive(t, even)
			if row.route > 0 {
				d.getVia(core, coreSays(599))
			}
			d.getVia(row.route, both)
			d.p.Describe(row.route, 0, row.mixed)
			for n := range 2 * absence {
				left := n >= row.after && row.after > 0
				require.Equal(t, left, len(d.applies(row.route)) < 2, "after %d", n)
				d.getVia(row.route, row.answer)
				d.advance(minute / 2 / absence)
			}
			d.getVia(row.route, both)
			require.Len(t, d.applies(row.route), 2, "it is told again")
		})
	}
}

// What is used up applies on where answers tell of no limit at all, as they may be
// those of a gateway that looks like the server.
func TestSilenceDoesNotFreeWhatIsUsedUp(t *testing.T) {
	d := routed(t)
	for range absence {
		d.getVia(search, clear200())
	}
	require.Equal(t, []string{"search"}, d.applies(search))
}

// A limit that is new applies to no route whose answers have left it out before it was.
func TestNewLimitsAreOfTheirRoute(t *testing.T) {
	d := routed(t)
	d.getVia(third, several(named("graphql", 100, minute, 0, minute)))
	require.Equal(t, []string{"core"}, d.applies(core))
	require.Equal(t, []string{"search"}, d.applies(search))
	require.Equal(t, []string{"graphql"}, d.applies(third))
	d.getVia(core, several(named("core", 600, minute, 590, minute), named("graphql", 100, minute, 0, minute)))
	require.Equal(t, []string{"core", "graphql"}, d.applies(core), "but to those that tell it")
}

// One request of a route that was never seen goes at a time, whatever is used up: it
// finds out. After one that was refused the next waits longer and longer.
func TestProbes(t *testing.T) {
	d := routed(t)
	require.Zero(t, d.waitVia(third))
	require.Zero(t, d.p.Uses(&Cost{Requests: 1, Route: third}))
	probe := d.via(third)
	for route := uint8(third); route < 10; route++ {
		require.Equal(t, probeTimeout, d.waitVia(route), "while one is under way")
		require.False(t, d.p.Plan(d.now, 1, &Cost{Requests: 1, Route: route}).Known, "who waits behind it is not refused for a limit that may not apply")
	}
	d.answer(probe, coreSays(590))
	require.Equal(t, []string{"core"}, d.applies(third))
	require.Equal(t, probeGap, d.waitVia(4))

	wait := probeBack
	for route := uint8(4); route < 10; route++ {
		d.advance(d.waitVia(route))
		d.answer(d.via(route), refuses(searchSays(0), 10*minute))
		require.Greater(t, d.waitVia(route), 9*minute, "it has had its probe")
		require.True(t, d.planVia(route).Known)
		require.Equal(t, wait, d.waitVia(route+1))
		wait *= 2
	}
	require.Less(t, d.waitVia(core), second)
	require.Zero(t, d.p.hold.rounds, "who probes knows that it may be refused")
}

// However a probe ends, there can be another.
func TestProbeEnds(t *testing.T) {
	for _, row := range []struct {
		name string
		end  func(d *driver, probe Ticket)
		next time.Duration
	}{
		{"found other limits", func(d *driver, probe Ticket) { d.answer(probe, coreSays(500)) }, probeGap},
		{"found nothing", func(d *driver, probe Ticket) { d.answer(probe, clear200()) }, probeBack},
		{"is not answered in time", func(*driver, Ticket) {}, probeTimeout},
		{"refused", func(d *driver, probe Ticket) { d.answer(probe, refuses(searchSays(0), Unknown)) }, probeBack},
		{"lost", func(d *driver, probe Ticket) {
			d.p.Lost(d.now, &probe)
			d.p.Release()
		}, probeBack},
		{"cancelled", func(d *driver, probe Ticket) { d.p.Cancel(d.now, &probe) }, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := routed(t)
			row.end(d, d.via(third))
			require.Equal(t, row.next, d.waitVia(4))
		})
	}
}

// A pace is no hold, unless its gaps are long ones.
func TestPaceIsProbedOnlyWhereItIsSlow(t *testing.T) {
	for _, row := range []struct {
		name   string
		window time.Duration
		probe  bool
	}{
		{"an interval of a second", minute, false},
		{"an interval of a minute", time.Hour, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := drive(t, even)
			for n := range int64(2) {
				d.getVia(core, several(named("a", 60, row.window, 60-n, row.window)))
			}
			require.Positive(t, d.waitVia(core))
			require.Equal(t, row.probe, d.waitVia(search) == 0)
		})
	}
}

// A hold whose refusal tells what is used up is left to that, as soon as a route is
// known that does not use it.
func TestHoldIsNarrowed(t *testing.T) {
	for _, row := range []struct {
		name     string
		refusal  Answer
		narrowed bool
	}{
		{"it tells what is used up", refuses(searchSays(0), 10*minute), true},
		{"it tells of what is not", refuses(searchSays(5), 10*minute), false},
		{"it tells nothing", refuses(clear200(), 10*minute), false},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := drive(t, even)
			d.get(searchSays(6))
			d.get(row.refusal)
			require.Greater(t, d.wait(1), 9*minute)
			require.Greater(t, d.p.State(d.now).HeldUntil, d.now)
			d.getVia(2, coreSays(500))
			d.advance(second)
			require.Equal(t, row.narrowed, d.waitVia(2) == 0)
			require.Greater(t, d.waitVia(1), 9*minute)

			d.getVia(1, row.refusal) // now that they are told apart
			require.Equal(t, row.narrowed, d.waitVia(2) == 0)
			require.Greater(t, d.waitVia(1), 9*minute)
		})
	}
}

// A success by another route says nothing of the refusals of this one.
func TestRoundsAreThoseOfWhatWasRefused(t *testing.T) {
	d := routed(t)
	d.getVia(search, refuses(searchSays(0), 0))
	require.EqualValues(t, 1, d.p.hold.rounds)
	d.getVia(core, coreSays(500))
	require.EqualValues(t, 1, d.p.hold.rounds)
	d.advance(time.Hour)
	d.getVia(search, searchSays(9))
	require.Zero(t, d.p.hold.rounds)
}

// A route that is described as being like another one begins with what is known of that.
func TestLikeRoutes(t *testing.T) {
	d := routed(t)
	d.p.Describe(third, core, false)
	require.Equal(t, []string{"core"}, d.applies(third))
	d.p.Describe(third, search, false)
	require.Equal(t, []string{"core"}, d.applies(third), "only the first time")
	d.p.Describe(4, search, false)
	require.Greater(t, d.waitVia(4), 50*minute, "without a probe")
	d.p.Describe(5, 0, false)
	require.Zero(t, d.waitVia(5))
}

// After a restart it is not known which limit is of which route: a request finds out.
func TestRestoredRoutes(t *testing.T) {
	d := routed(t)
	d.restart(second)
	require.Zero(t, d.wait(1), "a probe")
	d.get(coreSays(590))
	require.Equal(t, []string{"core"}, d.applies(0))
	require.Less(t, d.wait(1), second)
}

// Numbers that are no route's are as none.
func TestTooManyRoutes(t *testing.T) {
	d := routed(t)
	for _, n := range []uint8{MaxRoutes + 1, 255} {
		d.getVia(n, coreSays(500))
		d.p.Describe(n, 0, false)
	}
	require.Len(t, d.p.routes.all, search)
	d.getVia(MaxRoutes, coreSays(500))
	require.Len(t, d.p.routes.all, MaxRoutes)
}

// Where all routes that are known have the same limits, probes in vain are far between.
func TestProbesWhereRoutesAreAlike(t *testing.T) {
	d := drive(t, even)
	d.getVia(1, searchSays(0))
	d.advance(second)
	wait := time.Duration(0)
	for route := uint8(2); route < 6; route++ {
		require.Equal(t, wait, d.waitVia(route))
		d.advance(wait)
		d.answer(d.via(route), refuses(searchSays(0), 50*minute))
		wait = max(probeAlike, 2*wait)
	}
}

// Who waits at the end of a short hold waits for it.
func TestProbesAreForLongWaits(t *testing.T) {
	d := drive(t, even)
	d.getVia(1, several(named("a", 60, minute, 0, 4*second)))
	require.Greater(t, d.waitVia(2), 3*second)
	d.advance(probeMostWait + second)
	d.getVia(1, several(named("a", 60, minute, 0, 4*second)))
	require.Zero(t, d.waitVia(2), "it has waited long enough")
}

// The time of the next probe keeps nobody beyond the end of what is waited for.
func TestProbeAfterTheHold(t *testing.T) {
	d := routed(t)
	d.answer(d.via(third), refuses(clear200(), 20*second))
	d.p.routes.next = d.now.Add(time.Hour)
	require.Less(t, d.waitVia(core), 30*second)
	d.advance(d.waitVia(core))
	d.getVia(search, searchSays(9))
	require.Less(t, d.waitVia(search), time.Hour)
	require.LessOrEqual(t, d.waitVia(4), d.waitVia(search))
}

// A limit of which only refusals tell applies to all routes, and a success that leaves
// it out does not free its route.
func TestLimitsThatOnlyRefusalsTell(t *testing.T) {
	d := drive(t, even)
	d.get(coreSays(599))
	d.getVia(search, coreSays(598))
	d.getVia(search, refuses(several(named("hidden", 30, minute, 0, 10*second)), 10*second))
	require.Equal(t, []string{"core", "hidden"}, d.applies(core))
	d.advance(20 * second)
	d.getVia(search, coreSays(597))
	require.Equal(t, []string{"core", "hidden"}, d.applies(search))
	d.getVia(search, several(named("core", 600, minute, 596, minute), named("hidden", 30, minute, 20, minute)))
	d.getVia(core, coreSays(595))
	require.Equal(t, []string{"core"}, d.applies(core), "now that successes tell it")
}

// Requests that ask one at a time how much there is are counted for the limit that they
// ask about, and keep nobody from others.
func TestAskingIsForItsLimit(t *testing.T) {
	d := drive(t, even)
	d.get(coreSays(599))
	d.getVia(search, tokens(50_000))
	d.advance(second)
	d.via(search)
	plan := d.planVia(search)
	require.Equal(t, d.now.Add(trickle), plan.At)
	require.False(t, plan.For.Meets(d.p.uses(&Cost{Requests: 1, Route: core})))
	d.via(core)
	require.Zero(t, d.waitVia(core)/second)
}

// A limit is kept from others where they could take the slot that the one who waits
// could not have in time then.
func TestWhatIsWaitedFor(t *testing.T) {
	d := drive(t, even)
	both := several(named("a", 60, minute, 60, minute), named("b", 40, minute, 40, minute))
	d.get(both)
	d.advance(10 * second)
	d.send(1)
	plan := d.p.Plan(d.now, 0, &Cost{Requests: 1})
	require.Equal(t, "b", plan.Policy)
	require.Equal(t, 2, plan.For.len(), "a's slot comes in time, but not the one after it")

	d = drive(t, even)
	far := several(named("a", 6000, minute, 6000, minute), named("b", 10, time.Hour, 0, time.Hour))
	d.get(far)
	d.send(1)
	require.Equal(t, 1, d.p.Plan(d.now, 0, &Cost{Requests: 1}).For.len())
}

// Until a new route has its first answer, its requests go one at a time, and keep back
// no others.
func TestNewRouteBeginsAlone(t *testing.T) {
	d := drive(t, Config{})
	d.get(coreSays(599))
	d.get(coreSays(598))
	first := d.via(search)
	plan := d.planVia(search)
	require.Equal(t, d.now.Add(trickle), plan.At)
	require.Zero(t, plan.For)
	require.Zero(t, d.waitVia(core))
	require.Zero(t, d.waitVia(third))
	d.answer(first, coreSays(597))
	require.Zero(t, d.waitVia(search))
}

// A new route whose first answers are a gateway's is not kept at one request at a time
// for ever, nor does it go on through what is used up.
func TestNewRouteThatIsNeverNews(t *testing.T) {
	notFound := clear200()
	notFound.Indirect = true
	d := drive(t, Config{})
	d.get(coreSays(599))
	d.getVia(search, notFound)
	first := d.via(search)
	require.Zero(t, d.waitVia(search), "it was answered once")
	d.answer(first, coreSays(0))

	d = drive(t, Config{})
	d.get(coreSays(0))
	sent := 0
	for range 600 {
		if d.waitVia(search) == 0 {
			d.getVia(search, notFound)
			sent++
		}
		d.advance(100 * time.Millisecond)
	}
	require.LessOrEqual(t, sent, 2, "probes")
}

// A probe is charged but has no slot: it moves no pace line beyond now.
func TestProbesMoveNoPaceLine(t *testing.T) {
	d := routed(t)
	before := d.waitVia(search)
	d.p.Lost(d.now, new(d.via(third)))
	require.LessOrEqual(t, d.waitVia(search), before+second)
}
