package pacer_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// What TestFirstEndOfAWindow requires. It is what was measured, with a little room: 268 of 480 runs, 0.986 and 28 runs.
const (
	endClean   = 0.55 // part of the runs that are refused nothing, at least: ends that are cut are found by a refusal
	endMedian  = 0.98 // median of the even time ÷ the time of a run, at least
	endSliding = 1.15 // time of a run ÷ the even time, at most, where a sliding counter looks like a window
	endSlow    = 34   // runs of sliding counters that may take longer
	endSeeds   = 10
)

// endCleanOf is how many of the 40 runs at a kind of server are refused nothing, at least. A window that ends when it
// says so refuses none. Buckets that hold less than they report as the quota, or say when one unit is back, always refuse
// some. So does a window whose end is cut to the second: only a refusal tells.
var endCleanOf = map[string]int{
	"window": 40, "window by request": 40, "bucket, full": 40, "counter": 37, "symfony": 34, "symfony, cut": 25, "httprate": 20,
	"log": 17, "window by request, cut": 3,
}

// A webCounter is the sliding counter of a web framework. It reports the end of its window as if a whole quota came back
// then. That of go-chi/httprate has its windows by the clock, rounds the estimate to the nearest number, and asks
// refused clients to wait for a whole window. The one of symfony begins with the first request, rounds down, and asks
// them to wait for the end.
type webCounter struct {
	quota, window         float64
	byRequest             bool // as symfony; else as httprate
	ends, current, before float64
}

func (l *webCounter) take(at float64) ruling {
	switch {
	case at >= l.ends+l.window: // nothing in the window before, or the first request
		l.before, l.current, l.ends = 0, 0, at+l.window
		if !l.byRequest {
			l.ends = (math.Floor(at/l.window) + 1) * l.window
		}
	case at >= l.ends:
		l.before, l.current, l.ends = l.current, 0, l.ends+l.window
	}
	used, wait := l.current+l.before*(l.ends-at)/l.window, l.window
	if l.byRequest {
		used, wait = math.Floor(used), l.ends-at
	} else {
		used = math.Round(used)
	}
	ok := used+1 <= l.quota
	if ok {
		l.current++
		used++
	}
	return ruling{ok: ok, left: max(0, l.quota-used), reset: l.ends - at, wait: wait}
}

// A roundedUp reports a fraction of a unit that is left as a whole one.
type roundedUp struct{ *tokenBucket }

func (l roundedUp) take(at float64) ruling {
	r := l.tokenBucket.take(at)
	r.left = math.Ceil(l.level - 1e-9)
	return r
}

// A cutEnd reports ends of windows in whole seconds, rounded down: up to a second too early. It asks for no wait.
type cutEnd struct{ textbook }

func (l cutEnd) take(at float64) ruling {
	r := l.textbook.take(at)
	r.reset = max(0, math.Floor(at+r.reset)-at)
	r.wait = r.reset
	return r
}

// A firstEnd is a new client with some requests for a server with a full quota.
type firstEnd struct {
	kind     string
	reports  reporting
	q, w     float64
	requests int
}

func (c *firstEnd) String() string {
	return fmt.Sprintf("%-22s %g per %2g s, %-5v", c.kind, c.q, c.w, c.reports)
}

// firstEndKinds are the kinds of servers.
func firstEndKinds() []string {
	return []string{
		"httprate", "symfony", "window", "window by request", "counter", "log", "bucket", "bucket, full", "bucket, r up", "GCRA of q/4",
		"window by request, cut", "symfony, cut",
	}
}

func firstEnds() (all []firstEnd) {
	for _, kind := range firstEndKinds() {
		for _, reports := range []reporting{reportTrio, reportEpoch} {
			all = append(all, firstEnd{kind, reports, 20, 4, 100}, firstEnd{kind, reports, 60, 60, 150})
		}
	}
	return all
}

// isSliding reports whether the server looks like a window until its first end, and is none.
func (c *firstEnd) isSliding() bool {
	return slices.Contains([]string{"httprate", "symfony", "symfony, cut", "counter"}, c.kind)
}

// capacity is what a bucket holds; 0: the server is none.
func (c *firstEnd) capacity() float64 {
	switch {
	case strings.HasPrefix(c.kind, "bucket"):
		return c.q
	case c.kind == "GCRA of q/4":
		return c.q / 4
	}
	return 0
}

func (c *firstEnd) server(now float64) textbook {
	bucket := &tokenBucket{quota: c.q, window: c.w, capacity: c.capacity(), level: c.capacity(), at: now}
	switch c.kind {
	case "httprate":
		return &webCounter{quota: c.q, window: c.w}
	case "symfony, cut":
		return cutEnd{&webCounter{quota: c.q, window: c.w, byRequest: true}}
	case "symfony":
		return &webCounter{quota: c.q, window: c.w, byRequest: true}
	case "counter":
		return &slidingCounter{quota: c.q, window: c.w}
	case "log":
		return &slidingLog{quota: c.q, window: c.w}
	case "window", "window by request":
		return &fixedWindow{quota: c.q, window: c.w, byClock: c.kind == "window"}
	case "window by request, cut":
		return cutEnd{&fixedWindow{quota: c.q, window: c.w}}
	case "bucket, r up":
		return roundedUp{bucket}
	}
	bucket.all = c.kind != "bucket"
	return bucket
}

// even returns how long an even pace takes for all requests, with a part of the first window over at the beginning:
//
//   - Where a window begins with the client, and at a log, n × w/q.
//   - Of a window by the clock all q units go in its rest, and the others follow at q/w. At a sliding counter no more go in
//     the rest of the first window than 2 q/w per second.
//   - A bucket of c units also gives those evenly over each window: in T it gives T × q/w + c × (1 − e^(−T/w)).
func (c *firstEnd) even(over float64) float64 {
	n := float64(c.requests)
	if held := c.capacity(); held > 0 {
		took := n * c.w / c.q
		for range 100 {
			took = (n + held*math.Expm1(-took/c.w)) * c.w / c.q
		}
		return took
	}
	first := c.q
	switch c.kind {
	case "httprate", "counter":
		first *= min(1, 2*(1-over))
	case "window":
	default:
		over = 0
	}
	return (1-over)*c.w + (n-first)*c.w/c.q
}

// play returns how many requests were refused, and the even time ÷ the time until all were served.
func (c *firstEnd) play(seed uint64) (refused int, speed float64) {
	l := &limited{reports: c.reports, quota: c.q, window: c.w, latency: 0.02, varies: 0.1}
	l.start(seed, 8)
	over := l.rng.Float64()
	l.offset = c.w * (1e6 + over)
	l.server = c.server(l.offset)
	served := 0
	l.client.returned = func(_ float64, e *exchange) {
		if !e.answer.Refused {
			served++
		}
	}
	l.client.unsent = func() int { return c.requests - served - l.client.inFlight }
	const forever = 60 // windows
	l.run(forever * c.w)
	_, refused = l.count(true, 0, forever*c.w)
	return refused, c.even(over) / (l.nth(c.requests, 0) + l.latency/2)
}

// An endTally is what some runs have shown.
type endTally struct {
	runs, clean, refused int
	speeds               []float64
	slowest              float64 // of these
}

func (s *endTally) String() string {
	return fmt.Sprintf("%3d of %3d runs without refusal, %.2f refused in the mean, even ÷ time %.3f, slowest %.3f",
		s.clean, s.runs, float64(s.refused)/float64(s.runs), median(s.speeds), s.slowest)
}

// TestFirstEndOfAWindow shows what happens at the first end of a window: a whole quota may come back then, or not, as the
// server is no window. The client finds that out without a wait of a window. With -v it logs a table.
func TestFirstEndOfAWindow(t *testing.T) {
	cases := firstEnds()
	runs := make([]struct {
		refused int
		speed   float64
	}, len(cases)*endSeeds)
	inParallel(len(runs), func(i int) { runs[i].refused, runs[i].speed = cases[i/endSeeds].play(uint64(i % endSeeds)) })
	tallies := map[string]*endTally{}
	var slow []string
	for i, run := range runs {
		c := &cases[i/endSeeds]
		for _, key := range []string{"all", c.String(), fmt.Sprintf("all of %g per %g s", c.q, c.w), "kind " + c.kind} {
			if tallies[key] == nil {
				tallies[key] = &endTally{slowest: run.speed}
			}
			s := tallies[key]
			s.runs++
			s.refused += run.refused
			if run.refused == 0 {
				s.clean++
			}
			s.speeds, s.slowest = append(s.speeds, run.speed), min(s.slowest, run.speed)
		}
		if c.isSliding() && run.speed < 1/endSliding {
			slow = append(slow, fmt.Sprintf("%v: %.2f × the even time, %d refused", c, 1/run.speed, run.refused))
		}
	}
	logTable(t, tallies)
	logLines(t, slow)
	all := tallies["all"]
	assert.GreaterOrEqual(t, float64(all.clean)/float64(all.runs), endClean, "runs without refusal")
	for kind, least := range endCleanOf {
		assert.GreaterOrEqual(t, tallies["kind "+kind].clean, least, "%s: runs without refusal, of 40", kind)
	}
	assert.GreaterOrEqual(t, median(all.speeds), endMedian, "even time ÷ time")
	assert.LessOrEqual(t, len(slow), endSlow, "sliding counters that take more than %v of the even time", endSliding)
}
