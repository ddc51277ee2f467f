package pacer_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

// What TestOthersOfLongWindows requires of each case, in the mean over its seeds.
const (
	longUsed    = 0.85 // of what the server has left for the client
	longRefused = 0.02 // of its requests
	longMissed  = 0    // cases that may miss that
	longSeeds   = 2
)

// A longWindow is a limit with a long window whose units other clients use, too.
type longWindow struct {
	kind    string
	reports reporting
	q, w    float64
	name    string  // of what the others do
	part    float64 // of the quota: one burst, or each of several
	works   float64 // how long others send at q/w; 0: they send bursts
	again   bool    // the bursts come again each twelfth of the window
}

func (c *longWindow) String() string {
	return fmt.Sprintf("%-6s %5g per %4g s, %-8v  %s", c.kind, c.q, c.w, c.reports, c.name)
}

// server returns a new limiter, which has all its quota.
func (c *longWindow) server() textbook {
	switch c.kind {
	case "window":
		return &fixedWindow{quota: c.q, window: c.w, byClock: true}
	case "log":
		return &slidingLog{quota: c.q, window: c.w}
	}
	return &tokenBucket{quota: c.q, window: c.w, capacity: c.q, level: c.q}
}

// comes is when the others come: 5 minutes after the beginning of an hour.
func (c *longWindow) comes() float64 { return c.w / 12 }

// goes is when they have gone, or when the first burst has ended.
func (c *longWindow) goes() float64 { return c.comes() + max(c.works, c.w/720) }

// judged is when the client should know: three minutes later, or when an even pace has made 60 requests.
func (c *longWindow) judged() float64 { return c.goes() + 3*max(60, 20*c.w/c.q) }

// ends is the end of the window, or one window after the others have gone.
func (c *longWindow) ends() float64 {
	if c.kind == "window" {
		return c.w
	}
	return c.goes() + c.w
}

// units is when the others use units.
func (c *longWindow) units() (at []float64) {
	spread := func(from, to float64, n int) {
		for i := range n {
			at = append(at, from+(to-from)*float64(i)/float64(n))
		}
	}
	if c.works > 0 {
		spread(c.comes(), c.goes(), int(c.works*c.q/c.w))
		return at
	}
	for from := c.comes(); from < 2*c.w; from += c.w / 12 {
		spread(from, from+c.w/720, int(math.Round(c.part*c.q)))
		if !c.again {
			break
		}
	}
	return at
}

// longWindows returns 48 cases of one burst, 8 in which others work for a while, and 8 in which bursts come again.
func longWindows() (all []longWindow) {
	kinds, quotas := []string{"window", "bucket", "log"}, []float64{600, 1000, 5000, 15000}
	add := func(c longWindow) {
		if len(all)%6 == 5 {
			c.reports = reportEpoch
		}
		all = append(all, c)
	}
	for i, part := range []float64{0.04, 0.1, 0.2, 0.4} {
		for j, q := range quotas {
			for k, kind := range kinds { // each of them with both windows equally often
				w := []float64{600, 3600}[(i+j+k+1)%2]
				add(longWindow{kind: kind, q: q, w: w, name: fmt.Sprintf("a burst of %g %%", 100*part), part: part})
			}
		}
	}
	for i := range 8 {
		works := []float64{300, 600}[i%2]
		add(longWindow{kind: kinds[i%3], q: quotas[i/2], w: 3600, name: fmt.Sprintf("q/w for %g s", works), works: works})
	}
	for i := range 8 {
		part := 0.02 + 0.01*float64(i%4)
		c := longWindow{kind: kinds[i%3], q: quotas[i/2], w: []float64{600, 3600}[i%2], part: part, again: true}
		c.name = fmt.Sprintf("%g %% again and again", 100*part)
		add(c)
	}
	return all
}

// possible returns how many units an even pace takes from now on, so long, from a server that others leave alone: what
// remains, and what comes. Of what a bucket holds it is a part, as more always comes. From a log it takes no more than
// what comes early allows.
func (c *longWindow) possible(server textbook, now, long float64) float64 {
	switch s := server.(type) {
	case *fixedWindow:
		return s.quota - s.used
	case *slidingLog:
		n, rate := s.quota-float64(len(s.times)), math.Inf(1)
		for _, at := range s.times {
			if back := at + s.window - now; back > long/2 && back < long { // before that chance decides
				rate = min(rate, n/back)
			}
			n++
		}
		return min(rate*long, s.quota)
	case *tokenBucket:
		level := min(s.capacity, s.level+(now-s.at)*s.quota/s.window)
		return level*-math.Expm1(-long/s.window) + long*s.quota/s.window
	}
	panic("another kind of server")
}

// A longFigure is what a case has shown.
type longFigure struct {
	used, refused float64 // from the time from which it is judged
	soon          float64 // part of an even use in the first third of that time
	share         float64 // three minutes after the others
	took          float64 // time for 1000 requests after them, where a window has at least 5000
}

// add adds one of n figures to their mean.
func (f *longFigure) add(one *longFigure, n int) {
	f.used += one.used / float64(n)
	f.soon += one.soon / float64(n)
	f.refused += one.refused / float64(n)
	f.share += one.share / float64(n)
	f.took += one.took / float64(n)
}

func (f *longFigure) String() string {
	s := fmt.Sprintf("used %.3f, soon %.3f, refused %.4f, share %.3f", f.used, f.soon, f.refused, f.share)
	if f.took > 0 {
		s += fmt.Sprintf(", %.1f min", f.took/60)
	}
	return s
}

// play plays the case.
func (c *longWindow) play(seed uint64) longFigure {
	const offset = 1e6 // whole windows before the client begins
	l := &limited{
		server: c.server(), reports: c.reports, quota: c.q, window: c.w, latency: 0.05, varies: 0.1,
		offset: offset * c.w, others: c.units(),
	}
	if s, isBucket := l.server.(*tokenBucket); isBucket {
		s.at = l.offset
	}
	l.start(seed, 8)
	var f longFigure
	l.run(c.goes() + 180)
	f.share = l.share()
	l.run(c.judged())
	from, to := c.judged(), c.ends()
	possible := c.possible(l.server, l.offset+from, to-from)
	l.run(to)
	others, _ := l.count(false, from, to)
	own, _ := l.count(true, from, to)
	early, _ := l.count(true, from, from+(to-from)/3)
	left := possible - float64(others)
	f.used, f.soon, f.refused = float64(own)/left, 3*float64(early)/left, l.refused(from, to)
	if c.q >= 5000 { // others have no 1000 left
		l.run(c.goes() + 2*c.w)
		f.took = l.nth(1000, c.goes()) - c.goes()
	}
	return f
}

// TestOthersOfLongWindows shows that an hour is not a minute: after others have used a part of a quota at once, and are
// gone, the client uses what they have left. Three minutes later it does so, with few refusals. With -v it logs each case.
func TestOthersOfLongWindows(t *testing.T) {
	cases := longWindows()
	figures := make([][longSeeds]longFigure, len(cases))
	inParallel(len(cases)*longSeeds, func(i int) {
		figures[i/longSeeds][i%longSeeds] = cases[i/longSeeds].play(uint64(i % longSeeds))
	})
	var lines, missed []string
	var all longFigure
	for i, c := range cases {
		var f longFigure
		for _, one := range figures[i] {
			f.add(&one, longSeeds)
		}
		all.add(&f, len(cases))
		line := fmt.Sprintf("%v: %v", &c, &f)
		if f.used < longUsed || f.refused > longRefused {
			missed = append(missed, c.String())
			line += "  MISSED"
		}
		lines = append(lines, line)
	}
	logLines(t, lines)
	t.Logf("%d of %d miss; in the mean %v", len(missed), len(cases), &all)
	assert.LessOrEqual(t, len(missed), longMissed, "cases that use less than %v, or are refused more than %v", longUsed, longRefused)
}
