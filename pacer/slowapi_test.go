package pacer_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What TestResponsesOlderThanTheirWindow would like of each case that it judges, in the mean over its seeds.
const (
	slowUsed    = 0.85 // of the quota, from the fifth minute on
	slowRefused = 0.02 // of the requests
	slowWindows = 3.0  // responses that take longer than so many windows are not judged
	slowSeeds   = 2
)

// mostSlow is how many cases may miss that, by way of reporting, what is used in the mean of the judged ones, at least, and
// what is refused, at most. It is what was measured, rounded up a little. Only draft-10 reports the window, so that the
// client knows that responses are older than it, and paces by the policy alone. A window that nobody reports cannot be told
// from its responses when these are older than it: what comes back in between looks like others' use, or like nothing.
var mostSlow = map[reporting]struct {
	missed        int
	used, refused float64
}{
	reportDraft10: {3, 0.91, 0.01},
	reportTrio:    {15, 0.64, 0.15},
	reportEpoch:   {14, 0.66, 0.1},
	reportCounts:  {15, 0.56, 0.15},
}

// A slowAPI limits requests per second, or per few seconds. Each response comes about a window later, or more.
type slowAPI struct {
	kind    string
	reports reporting
	q, w    float64
	takes   float64 // from a request to its response
	works   bool    // that is how long the server works after it has counted the request; else the ways are long
}

func (c *slowAPI) String() string {
	return fmt.Sprintf("%-7s %2g per %g s, %-8v takes %4.1f s, %4.1f windows, works %-5v", c.kind, c.q, c.w, c.reports, c.takes,
		c.takes/c.w, c.works)
}

func (c *slowAPI) isJudged() bool { return c.takes <= slowWindows*c.w }

func (c *slowAPI) server() textbook {
	switch c.kind {
	case "window":
		return &fixedWindow{quota: c.q, window: c.w, byClock: true}
	case "log":
		return &slidingLog{quota: c.q, window: c.w}
	case "counter":
		return &slidingCounter{quota: c.q, window: c.w}
	}
	return &tokenBucket{quota: c.q, window: c.w, capacity: c.q, level: c.q}
}

// slowAPIs returns each kind of server with each way of reporting and each latency. The other numbers take turns, so that
// each is as often with each of those.
func slowAPIs() (all []slowAPI) {
	for k, kind := range []string{"window", "bucket", "log", "counter"} {
		for r := range reportWaits { // those with counts
			for l, windows := range []float64{0.5, 1, 2, 3, 10, 30} {
				c := slowAPI{kind: kind, reports: r, w: []float64{1, 2, 5}[(k+int(r)+l)%3], q: []float64{5, 10, 50}[(k+2*int(r)+2*l)%3]}
				c.works = (k+int(r)+l/2)%2 == 0
				if c.takes = windows * c.w; windows > slowWindows {
					c.takes = windows // seconds
				}
				all = append(all, c)
			}
		}
	}
	return all
}

// play plays the case, and returns the part of the quota that was used, and the part of the requests that was refused.
func (c *slowAPI) play(seed uint64) (used, refused float64) {
	const from, to = 300.0, 600.0
	l := &limited{server: c.server(), reports: c.reports, quota: c.q, window: c.w, latency: c.takes, varies: 0.1, offset: 1e6}
	if c.works {
		l.latency, l.work = 0.05, c.takes-0.05
	}
	l.start(seed, int(2.5*c.takes*c.q/c.w)+2)
	l.offset += c.w * l.rng.Float64()
	l.run(to)
	granted, _ := l.count(true, from, to)
	return float64(granted) / (c.q / c.w * (to - from)), l.refused(from, to)
}

// A slowTally is what some cases have shown.
type slowTally struct {
	cases, missed int
	used, refused float64 // sums
}

func (s *slowTally) String() string {
	n := float64(s.cases)
	return fmt.Sprintf("%2d of %2d miss, used %.3f, refused %.4f", s.missed, s.cases, s.used/n, s.refused/n)
}

// tallySlow adds what a case has shown to the tallies that it is a part of, and returns whether it misses a bound.
func tallySlow(tallies map[string]*slowTally, c *slowAPI, used, refused float64) (misses bool) {
	misses = used < slowUsed || refused > slowRefused
	windows := fmt.Sprintf("takes %4.1f windows", c.takes/c.w)
	keys := []string{windows}
	if c.isJudged() {
		keys = append(keys, "judged", "tells "+c.reports.String(), "kind "+c.kind, fmt.Sprintf("works %v", c.works),
			fmt.Sprintf("tells %v, %s", c.reports, windows), fmt.Sprintf("q %2g", c.q), fmt.Sprintf("w %g", c.w))
	}
	for _, key := range keys {
		if tallies[key] == nil {
			tallies[key] = &slowTally{}
		}
		s := tallies[key]
		s.cases++
		s.used += used
		s.refused += refused
		if misses {
			s.missed++
		}
	}
	return misses
}

// TestResponsesOlderThanTheirWindow shows that a limit per second whose window is reported is used, and seldom exceeded,
// where a response comes up to three windows later: what remains by it is long over then. And it shows what becomes of
// limits without a reported window. With -v it logs each case and a table.
func TestResponsesOlderThanTheirWindow(t *testing.T) {
	cases := slowAPIs()
	figures := make([][slowSeeds]struct{ used, refused float64 }, len(cases))
	inParallel(len(cases)*slowSeeds, func(i int) {
		f := &figures[i/slowSeeds][i%slowSeeds]
		f.used, f.refused = cases[i/slowSeeds].play(uint64(i % slowSeeds))
	})
	var lines []string
	tallies := map[string]*slowTally{}
	for i, c := range cases {
		used, refused := 0.0, 0.0
		for _, f := range figures[i] {
			used, refused = used+f.used/slowSeeds, refused+f.refused/slowSeeds
		}
		line := fmt.Sprintf("%v: used %.3f, refused %.4f", &c, used, refused)
		if tallySlow(tallies, &c, used, refused) && c.isJudged() {
			line += "  MISSED"
		}
		lines = append(lines, line)
	}
	logLines(t, lines)
	logTable(t, tallies)
	for way, most := range mostSlow {
		s := tallies["tells "+way.String()]
		n := float64(s.cases)
		assert.LessOrEqual(t, s.missed, most.missed, "%v: cases that use less than %v, or are refused more than %v", way, slowUsed, slowRefused)
		assert.GreaterOrEqual(t, s.used/n, most.used, "%v: used", way)
		assert.LessOrEqual(t, s.refused/n, most.refused, "%v: refused", way)
	}
}

// An API that gets slow late in its first window is paced evenly, although nobody has seen the end of a window.
func TestSlowBeforeTheFirstEnd(t *testing.T) {
	d := drive(t, even)
	for left := int64(1199); left > 500; left-- {
		d.answer(d.proceed(), says(1200, minute, left, minute-d.since().Truncate(second)))
	}
	slow := d.send(1)
	d.advance(30 * second)
	d.answer(slow, says(1200, minute, 500, 5*second))
	d.advance(minute)
	for range 100 { // none is answered
		require.Less(t, d.wait(), second/16)
		d.advance(d.wait())
		d.send(1)
	}
}
