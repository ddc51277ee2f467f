package pacer_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/pacer"
)

const core, search, third = 1, 2, 3

// via is the cost of a request on a route.
func via(route uint8) pacer.Cost { return pacer.Cost{Requests: 1, Route: route} }

func (d *driver) getVia(route uint8, a pacer.Answer) { d.getAs(via(route), a) }

func (d *driver) waitVia(route uint8) time.Duration { return d.waitAs(via(route)) }

func (d *driver) planVia(route uint8) pacer.Plan {
	cost := via(route)
	return d.p.Plan(d.now, 0, &cost)
}

// applies lists the policies that the client charges for a request on the route.
func (d *driver) applies(route uint8) []string {
	cost := via(route)
	names, before := []string{}, d.usage().Limits
	ticket := d.sendAs(cost)
	for i, l := range d.usage().Limits {
		if l.Sent > before[i].Sent {
			names = append(names, l.ID.Policy)
		}
	}
	d.p.Cancel(d.now, &ticket)
	return names
}

func coreSays(left int64) pacer.Answer   { return several(named("core", 600, minute, left, minute)) }
func searchSays(left int64) pacer.Answer { return several(named("search", 10, hour, left, hour)) }

// routed returns a client with two routes. Each route has its own limit, and the quota of search is used
// up.
func routed(t *testing.T) *driver {
	t.Helper()
	d := drive(t, even)
	d.get(coreSays(599)) // before the client knows a second route
	d.advance(second)
	d.getVia(search, searchSays(0))
	d.advance(second)
	return d
}

func TestLimitsApplyToTheRoutesThatReportThem(t *testing.T) {
	d := routed(t)
	require.Equal(t, []string{"core"}, d.applies(core))
	require.Equal(t, []string{"search"}, d.applies(search))
	require.Zero(t, d.waitVia(core))
	require.Greater(t, d.waitVia(search), 50*minute)
	require.Equal(t, "search", d.planVia(search).Policy)
	before := d.state().Limits
	d.getVia(core, coreSays(598))
	require.Equal(t, before[1], d.state().Limits[1], "a request by one route uses nothing of the other's limit")
}

// A limit stops applying to a route after enough responses leave it out. The number depends on the kind of
// response.
func TestLeftOut(t *testing.T) {
	both := several(named("core", 600, minute, 500, minute), named("search", 10, hour, 5, hour))
	indirect := coreSays(400)
	indirect.Indirect = true
	for _, row := range []struct {
		name   string
		route  uint8
		mixed  bool
		answer pacer.Answer
		after  int // number of responses; 0: never
	}{
		{"another is reported", search, false, coreSays(400), 1},
		{"another is reported, of a route of many kinds", search, true, coreSays(400), 3},
		{"another is reported, where routes are not distinguished", 0, false, coreSays(400), 3},
		{"nothing is reported", search, false, ok(), 3},
		{"it is reported, too", search, false, both, 0},
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
			for n := range 40 {
				left := n >= row.after && row.after > 0
				require.Equal(t, left, len(d.applies(row.route)) < 2, "after %d", n)
				d.getVia(row.route, row.answer)
				d.advance(second / 2)
			}
			d.getVia(row.route, both)
			require.Len(t, d.applies(row.route), 2, "it is reported again")
		})
	}
}

// A request gets back once what it has not used, even if its trailer follows its response.
func TestUnusedIsGivenBackOnce(t *testing.T) {
	d := drive(t, even)
	d.getVia(core, several(named("core", 600, minute, 500, minute), named("search", 10, hour, 5, hour)))
	ticket := d.sendAs(via(search))
	d.p.Answered(d.now, &ticket, new(coreSays(400)))
	before := d.usage().Limits[1]
	d.p.Answered(d.now, &ticket, new(coreSays(399)))
	require.Equal(t, "search", before.ID.Policy)
	require.Equal(t, before, d.usage().Limits[1])
}

// A used-up limit still applies after responses that report no limit, as a gateway may have sent them.
func TestSilenceDoesNotFreeWhatIsUsedUp(t *testing.T) {
	d := routed(t)
	for range 50 {
		d.getVia(search, ok())
	}
	require.Equal(t, []string{"search"}, d.applies(search))
}

// A new limit does not apply to routes whose earlier responses left it out.
func TestNewLimitsAreOfTheirRoute(t *testing.T) {
	d := routed(t)
	graphql := named("graphql", 100, minute, 0, minute)
	d.getVia(third, several(graphql))
	require.Equal(t, []string{"core"}, d.applies(core))
	require.Equal(t, []string{"search"}, d.applies(search))
	require.Equal(t, []string{"graphql"}, d.applies(third))
	d.getVia(core, several(named("core", 600, minute, 590, minute), graphql))
	require.Equal(t, []string{"core", "graphql"}, d.applies(core), "but to those that tell it")
}

// A limit reported in a refusal applies to all routes, until a response on the route leaves it out.
func TestLimitsThatRefusalsTell(t *testing.T) {
	d := drive(t, even)
	d.get(coreSays(599))
	d.getVia(search, coreSays(598))
	d.getVia(search, refuses(several(named("hidden", 30, minute, 0, 10*second)), 10*second))
	require.Equal(t, []string{"core", "hidden"}, d.applies(core))
	d.advance(20 * second)
	d.getVia(core, coreSays(595))
	require.Equal(t, []string{"core"}, d.applies(core))
	require.Equal(t, []string{"core", "hidden"}, d.applies(search))
}

// While /search is held for an hour, the first request of a new route goes at once, to learn whether the hold applies to
// it. Each route to which it does doubles the time until the next.
func TestNewRoutesGoEarly(t *testing.T) {
	d := routed(t)
	cost := via(third)
	require.Zero(t, d.waitVia(third))
	require.Zero(t, d.p.Uses(&cost))
	first := d.sendAs(cost)
	for route := uint8(third); route < 10; route++ {
		require.Equal(t, trickle, d.waitVia(route), "while one is under way")
		cost := via(route)
		require.False(t, d.p.Plan(d.now, 1, &cost).Known, "who waits behind it is not refused for a limit that may not apply")
	}
	d.answer(first, coreSays(590))
	require.Equal(t, []string{"core"}, d.applies(third))
	require.Equal(t, trickle, d.waitVia(4))

	wait := second / 2
	for route := uint8(4); route < 10; route++ {
		d.advance(d.waitVia(route))
		d.getVia(route, refuses(searchSays(0), 10*minute))
		require.Greater(t, d.waitVia(route), 9*minute, "it is new no more")
		require.True(t, d.planVia(route).Known)
		require.Equal(t, wait, d.waitVia(route+1))
		wait *= 2
	}
	require.Less(t, d.waitVia(core), second)
	for route := uint8(10); route < 30; route++ {
		require.LessOrEqual(t, d.waitVia(route), minute)
		d.advance(d.waitVia(route))
		d.getVia(route, refuses(searchSays(0), 10*minute))
	}
}

// The first request of a new route never blocks the next one for good, however it ends.
func TestFirstOfARouteEnds(t *testing.T) {
	for _, row := range []struct {
		name string
		end  func(d *driver, first pacer.Ticket)
		next time.Duration
	}{
		{"found other limits", func(d *driver, first pacer.Ticket) { d.answer(first, coreSays(500)) }, trickle},
		{"found nothing", func(d *driver, first pacer.Ticket) { d.answer(first, ok()) }, second / 2},
		{"is not answered", func(*driver, pacer.Ticket) {}, trickle},
		{"refused", func(d *driver, first pacer.Ticket) { d.answer(first, refuses(searchSays(0), unknown)) }, second / 2},
		{"lost", (*driver).lose, trickle},
		{"cancelled", func(d *driver, first pacer.Ticket) { d.p.Cancel(d.now, &first) }, trickle},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := routed(t)
			row.end(d, d.sendAs(via(third)))
			require.Equal(t, row.next, d.waitVia(4))
		})
	}
}

// A refusal that reports a used-up limit holds only the routes with that limit, once the client knows a
// route without it.
func TestHoldIsNarrowed(t *testing.T) {
	for _, row := range []struct {
		name     string
		refusal  pacer.Answer
		narrowed bool
	}{
		{"it tells what is used up", refuses(searchSays(0), 10*minute), true},
		{"it tells of what is not", refuses(searchSays(5), 10*minute), false},
		{"it tells nothing", refuses(ok(), 10*minute), false},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := drive(t, even)
			d.get(searchSays(6))
			d.get(row.refusal)
			require.Greater(t, d.wait(), 9*minute)
			require.Greater(t, d.held(), 9*minute)
			d.getVia(search, coreSays(500))
			d.advance(second)
			require.Equal(t, row.narrowed, d.waitVia(search) == 0)
			require.Greater(t, d.waitVia(core), 9*minute)

			d.getVia(core, row.refusal) // now that the client distinguishes the routes
			require.Equal(t, row.narrowed, d.waitVia(search) == 0)
			require.Greater(t, d.waitVia(core), 9*minute)
		})
	}
}

// A success on one route does not end the backoff of another route.
func TestRoundsAreThoseOfWhatWasRefused(t *testing.T) {
	longest := func(between func(d *driver)) time.Duration {
		d := routed(t)
		for range 9 {
			d.getVia(search, refuses(searchSays(0), 0))
			between(d)
			d.advance(hour)
		}
		d.getVia(search, refuses(ok(), 0))
		return d.held()
	}
	require.Greater(t, longest(func(d *driver) { d.getVia(core, coreSays(500)) }), 20*second)
	require.Less(t, longest(func(d *driver) { d.getVia(search, searchSays(9)) }), 20*second)
}

// Route numbers above MaxRoutes are treated as no route.
func TestTooManyRoutes(t *testing.T) {
	d := routed(t)
	for _, n := range []uint8{pacer.MaxRoutes + 1, 255} {
		d.getVia(n, coreSays(500))
		d.p.Describe(n, 0, false)
		require.Equal(t, []string{"core"}, d.applies(n))
	}
	d.getVia(pacer.MaxRoutes, coreSays(500))
	require.Equal(t, []string{"core"}, d.applies(pacer.MaxRoutes))
}

// A route that sends one request at a time does not delay requests of other limits. A waiting request
// delays other requests only if they could take a slot that it needs.
func TestWhatIsWaitedFor(t *testing.T) {
	d := drive(t, even)
	d.get(coreSays(599))
	d.getVia(search, tokens(50_000))
	d.advance(second)
	d.sendAs(via(search))
	cost, plan := via(core), d.planVia(search)
	require.Equal(t, d.now.Add(trickle), plan.At)
	require.False(t, plan.For.Meets(d.p.Uses(&cost)&^pacer.Everything))
	require.Zero(t, d.waitVia(core))

	for _, row := range []struct {
		name  string
		other limits.Reported
		both  bool
	}{
		{"its slot comes in time, but not the one after it", named("a", 60, minute, 59, minute), true},
		{"so does the one after it", named("a", 6000, minute, 5999, minute), false},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := drive(t, even)
			d.get(several(row.other, named("b", 40, minute, 39, minute)))
			d.send(1)
			require.Equal(t, "b", d.plan().Policy)
			require.Equal(t, row.both, d.plan().For.Meets(1))
			require.True(t, d.plan().For.Meets(2))
		})
	}
}

// A new route sends one request at a time until its first response. Other routes are not delayed.
func TestNewRouteBeginsAlone(t *testing.T) {
	d := drive(t, pacer.Config{})
	d.get(coreSays(599))
	d.get(coreSays(598))
	first := d.sendAs(via(search))
	plan := d.planVia(search)
	require.Equal(t, pacer.CauseStart, plan.Cause)
	require.Equal(t, d.now.Add(trickle), plan.At)
	require.Zero(t, plan.For)
	require.Zero(t, d.waitVia(core))
	require.Zero(t, d.waitVia(third))
	d.answer(first, coreSays(597))
	require.Zero(t, d.waitVia(search))
}

// A new route whose first responses come from a gateway does not send one request at a time for ever. It is
// still stopped by a used-up limit.
func TestNewRouteThatIsNeverNews(t *testing.T) {
	notFound := ok()
	notFound.Indirect = true
	d := drive(t, pacer.Config{})
	d.get(coreSays(599))
	d.getVia(search, notFound)
	first := d.sendAs(via(search))
	require.NotEqual(t, pacer.CauseStart, d.planVia(search).Cause, "it was answered once")
	d.answer(first, coreSays(0))

	d = drive(t, pacer.Config{})
	d.get(coreSays(0))
	sent := 0
	for range 600 {
		if d.waitVia(search) == 0 {
			d.getVia(search, notFound)
			sent++
		}
		d.advance(100 * time.Millisecond)
	}
	require.LessOrEqual(t, sent, 2)
}

// A server that refuses each of more limits than a partition stores gets about one request for each of these, not one for
// each limit that was forgotten meanwhile.
func TestHoldsOfMoreLimitsThanStored(t *testing.T) {
	d := drive(t, pacer.Config{})
	says := func(i int, left int64) pacer.Answer {
		return several(named(fmt.Sprint("policy", i), 100, minute, left, minute))
	}
	for i := range 50 {
		d.advance(second)
		d.getVia(uint8(1+i), says(i, 90))
	}
	n := 0
	for range 200 {
		for i := range 50 {
			if d.waitAs(via(uint8(1+i))) == 0 {
				n++
				d.getVia(uint8(1+i), refuses(says(i, 0), minute))
			}
		}
		d.advance(minute / 240)
	}
	require.LessOrEqual(t, n, 50)
}

// A partition stores 24 limits. A further one replaces the one whose report is the oldest, but none that holds requests.
func TestMoreLimitsThanStored(t *testing.T) {
	d := drive(t, even)
	d.get(refuses(several(named("held", 100, minute, 0, hour)), hour))
	report := func(i int) {
		d.advance(second)
		d.get(several(named(fmt.Sprint("policy", i), 100, minute, 90, minute)))
	}
	for i := range 23 {
		report(i)
	}
	report(0)
	require.Len(t, d.policies(), 24)
	report(23)
	require.Len(t, d.policies(), 24)
	require.Subset(t, d.policies(), []string{"held", "policy0", "policy2", "policy23"})
	require.NotContains(t, d.policies(), "policy1")
}

// A refusal that reports a used-up limit which the request is not charged for holds it all the same.
func TestRefusalReportsAnotherUnit(t *testing.T) {
	for name, cost := range map[string]pacer.Cost{
		"a free request": {Others: &[pacer.MaxOthers]int64{1, unknown, unknown}},
		"no tokens":      {Requests: 1, Others: &[pacer.MaxOthers]int64{0, unknown, unknown}},
	} {
		t.Run(name, func(t *testing.T) {
			d := drive(t, pacer.Config{})
			says := func(requests, tokens int64) pacer.Answer {
				a, b := named("requests", 100, minute, requests, minute), named("tokens", 1000, minute, tokens, minute)
				b.Unit = "tokens"
				return several(a, b)
			}
			d.get(says(90, 900))
			d.advance(second)
			d.get(says(90, 900))
			n := 0
			for end := d.now.Add(20 * second); d.now < end; d.advance(second / 20) {
				if d.waitAs(cost) == 0 {
					n++
					a := refuses(says(0, 900), 10*second)
					if cost.Requests > 0 {
						a = refuses(says(90, 0), 10*second)
					}
					d.getAs(cost, a)
				}
			}
			require.Less(t, n, 5)
		})
	}
}
