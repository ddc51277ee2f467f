package pacer_test

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/headway-go/headway/pacer"
)

var (
	lightSeeds = flag.Int("lightuse.seeds", 200, "how many random scenes TestLightUse plays")
	lightFrom  = flag.Int("lightuse.from", 0, "the first seed of TestLightUse")
	lightOnly  = flag.String("lightuse.only", "",
		"TestLightUse plays only scenes with this in their description: a|b is either, a&b both")
	lightTrace = flag.Bool("lightuse.trace", false, "TestLightUse shows each scene")
)

// lightTallied is how many scenes mostLight is about: the first ones.
const lightTallied = 200

// mostLight is what those scenes show at most, by what the server tells, but for used, which is the least. It is what was
// measured, rounded up a little. It is to be lowered whenever it can be, and never raised without a reason.
var mostLight = map[string]lightFigure{
	"draft-10":    {refused: 10.4, wait: 0.04, worst: 0.21, used: 0.79},
	"trio":        {refused: 7.3, wait: 0.02, worst: 0.12, used: 0.76},
	"epoch":       {refused: 7.6, wait: 0.14, worst: 0.44, used: 0.79},
	"counts":      {refused: 11.3, wait: 1, worst: 4.3, used: 0.77},
	"Retry-After": {refused: 39, wait: 0.1, worst: 0.53, used: 0.83},
	"bare":        {refused: 147, wait: 0.08, worst: 0.5, used: 0.82},
	"503s":        {refused: 6.6, wait: 0.32, worst: 4.6, used: 0.79},
}

// A lightScene is a server and a client that is not always busy. A seed decides all of it. The server is that of newScene,
// or one that reports nothing and bounds the requests in flight. Of such a one the quota is the bound, and the window is how
// long it works on a request, but for some long polls, which take a tenth of its time.
type lightScene struct {
	*scene
	places bool
	use    string
	load   float64   // part of q/w that the client needs
	asks   []float64 // when its requests come
	busy   []phase   // when it has more to send than it may
	polls  float64   // part of the requests that take pollTime on a server that bounds those in flight
}

// pollTime is how long a long poll takes, in seconds.
const pollTime = 30

// A phase is a time.
type phase struct{ begins, ends float64 }

func (s *lightScene) String() string {
	return fmt.Sprintf("seed %d: %s of %g per %.3g s, capacity %g, all %v, tells %s, latency %.3g, use %s of %.2f q/w, %d asked, %d phases",
		s.seed, s.kind, s.quota, s.window, s.capacity, s.all, s.tells(), s.latency, s.use, s.load, len(s.asks), len(s.busy))
}

// tells is what the server tells.
func (s *lightScene) tells() string {
	if s.places {
		return "503s"
	}
	return s.reports.String()
}

// newLightScene draws a scene. The order of the draws is part of what a seed means.
func newLightScene(seed uint64) *lightScene {
	s := &lightScene{scene: newScene(seed)}
	s.rng = rand.New(rand.NewPCG(seed, 98)) // what newScene draws may change
	if s.rng.IntN(6) == 0 {
		s.kind, s.places, s.reports = "places", true, reportNothing
		s.quota, s.window = float64(2+s.rng.IntN(15)), logUniform(s.rng, 0.05, 2)
		s.latency = min(s.latency, s.window/10) // else the bound on those in flight bounds the rate more than the server does
		s.polls = pick(s.rng, 0, 0.1*s.window/pollTime)
	}
	s.use = pick(s.rng, "light", "pauses", "bursts", "light, then busy")
	s.load = 0.1 + 0.5*s.rng.Float64()
	s.drawUse()
	return s
}

// drawUse draws when the client has requests.
func (s *lightScene) drawUse() {
	const most = 3000 // requests, to bound the work
	rate := s.load * s.quota / s.window
	last := min(max(20*s.window, 3600), most/rate)
	switch s.use {
	case "light":
		s.ask(0, last, rate)
	case "bursts":
		for at := 0.0; at < last; {
			n := 1 + s.rng.IntN(20)
			at += s.rng.ExpFloat64() * float64(n) / rate
			s.asks = slices.Concat(s.asks, slices.Repeat([]float64{at}, n))
		}
	case "light, then busy":
		for at := 0.0; at < last; {
			light := last * (0.1 + 0.4*s.rng.Float64())
			s.ask(at, at+light, rate)
			at = s.beBusy(at + light)
		}
	default:
		units := 0.0
		for at := 0.0; units < most && len(s.busy) < 12; {
			ends := s.beBusy(at)
			units += s.quota + (ends-at)*s.quota/s.window
			at = ends + logUniform(s.rng, 10, 3600)
		}
	}
}

// ask draws requests that come at random times.
func (s *lightScene) ask(from, to, rate float64) {
	for at := from + s.rng.ExpFloat64()/rate; at < to; at += s.rng.ExpFloat64() / rate {
		s.asks = append(s.asks, at)
	}
}

// beBusy draws a busy phase, and returns its end.
func (s *lightScene) beBusy(at float64) (ends float64) {
	ends = at + max(2, s.window*logUniform(s.rng, 0.2, 5))
	s.busy = append(s.busy, phase{at, ends})
	return ends
}

// A lightPlay is a scene that is played.
type lightPlay struct {
	*lightScene
	client *busy
	server textbook
	offset float64 // of the server's clock
	inside int     // requests that the server works on

	waiting         []int     // numbers of requests that are not sent yet
	waits           []float64 // of each request, until it was sent and served
	served, refused int
	busily          int   // of those that were served: the ones of busy phases
	phase           phase // the last one
}

// play plays the scene.
func (s *lightScene) play() *lightPlay {
	p := &lightPlay{lightScene: s, waits: make([]float64, len(s.asks)), server: s.limiter(s.quota, s.window)}
	p.offset = 1e6*s.window + s.rng.Float64()*s.window
	p.client = &busy{
		partition: pacer.New(&pacer.Config{Chance: s.rng.Float64}),
		workers:   max(8, int(2.5*s.quota/s.window*s.latency)+2),
		latency:   s.oneWay,
		serve:     p.serve, served: func() { p.inside-- }, returned: p.returned, clock: at, unsent: p.unsent, went: p.went,
	}
	if s.places {
		p.client.workers = 64
	}
	next := 0 // of the requests that come
	for _, f := range append(s.busy, phase{begins: math.Inf(1)}) {
		for ; next < len(s.asks) && s.asks[next] < f.begins; next++ {
			p.client.run(s.asks[next])
			p.waiting = append(p.waiting, next)
			p.client.wake()
		}
		if f.ends > 0 {
			p.client.run(f.begins)
			p.phase = f
			p.client.wake()
			p.client.run(f.ends)
		}
	}
	for step := 0; step < 1000 && len(p.waiting)+p.client.inFlight > 0; step++ {
		p.client.run(p.client.now + max(s.window, 10))
	}
	return p
}

// unsent returns how many requests there are to send.
func (p *lightPlay) unsent() int {
	if now := p.client.now; now >= p.phase.begins && now < p.phase.ends {
		return math.MaxInt
	}
	return len(p.waiting)
}

func (p *lightPlay) went(now float64, e *exchange) {
	e.sent, e.nth = now, -1
	if len(p.waiting) > 0 {
		e.nth, p.waiting = p.waiting[0], p.waiting[1:]
	}
}

func (p *lightPlay) serve(now float64, e *exchange) {
	if !p.places {
		on := p.offset + now
		r := p.server.take(on)
		e.answer = p.reports.answer(&r, p.quota, p.window, on, &e.limit)
		return
	}
	e.answer = pacer.Answer{RetryAfter: pacer.Unknown}
	if p.inside >= int(p.quota) {
		e.answer.Refused, e.answer.Overloaded, e.answer.RetryAfter = true, true, inSeconds(1)
		return
	}
	p.inside++
	if e.work = p.window * (0.5 + p.rng.Float64()); p.rng.Float64() < p.polls {
		e.work = pollTime
	}
}

func (p *lightPlay) returned(_ float64, e *exchange) {
	switch {
	case e.answer.Refused:
		if p.refused++; e.nth >= 0 { // it is sent again before the others
			p.waiting = slices.Insert(p.waiting, 0, e.nth)
		}
	case e.nth >= 0:
		p.served++
		p.waits[e.nth] = e.sent - p.asks[e.nth]
	default:
		p.served++
		p.busily++
	}
}

// A perfect client knows the server, and sends each request as soon as it would be served.
type perfect struct {
	server textbook  // of requests that count
	offset float64   // of its clock
	free   []float64 // when each place is free, if the server bounds the requests in flight
	work   float64
	last   float64 // when the last request was sent
}

// perfect returns the perfect client of a scene.
func (p *lightPlay) perfect() *perfect {
	c := &perfect{server: p.limiter(p.quota, p.window), offset: p.offset, work: p.window + p.polls*pollTime}
	if p.places {
		c.free = make([]float64, int(p.quota))
	}
	return c
}

// send returns when a request goes that comes at this time. Requests keep their order.
func (c *perfect) send(at float64) float64 {
	c.last = max(c.last, at)
	if c.free != nil {
		i := slices.Index(c.free, slices.Min(c.free))
		c.last = max(c.last, c.free[i])
		c.free[i] = c.last + c.work
		return c.last
	}
	for range 1000 {
		r := c.server.take(c.offset + c.last)
		if r.ok {
			break
		}
		c.last += max(r.wait, 1e-6)
	}
	return c.last
}

// A lightFigure is what a scene has shown, or a mean of several.
type lightFigure struct {
	scenes, waiting, phases int // scenes in all, those with waits, and those with busy phases

	refused     float64 // per thousand served requests
	wait, worst float64 // how much longer than at a perfect client requests waited: the mean and the 99th percentile, in windows
	used        float64 // of what a perfect client would have sent in its busy phases
}

func (p *lightPlay) figure() lightFigure {
	f := lightFigure{scenes: 1, refused: 1000 * float64(p.refused) / float64(max(p.served, 1))}
	c, n, next := p.perfect(), 0, 0
	more := make([]float64, len(p.asks))
	for _, b := range append(p.busy, phase{begins: math.Inf(1)}) {
		for ; next < len(p.asks) && p.asks[next] < b.begins; next++ {
			more[next] = (p.waits[next] - (c.send(p.asks[next]) - p.asks[next])) / p.window
			f.wait += more[next] / float64(len(more))
		}
		for b.ends > 0 && c.send(b.begins) < b.ends {
			n++
		}
	}
	if n > 0 {
		f.phases, f.used = 1, float64(p.busily)/float64(n)
	}
	if len(more) > 0 {
		slices.Sort(more)
		f.waiting, f.worst = 1, more[len(more)*99/100]
	}
	return f
}

// add adds a scene to a mean.
func (f *lightFigure) add(one *lightFigure) {
	f.scenes++
	f.refused += (one.refused - f.refused) / float64(f.scenes)
	if f.waiting += one.waiting; one.waiting > 0 {
		f.wait += (one.wait - f.wait) / float64(f.waiting)
		f.worst += (one.worst - f.worst) / float64(f.waiting)
	}
	if f.phases += one.phases; one.phases > 0 {
		f.used += (one.used - f.used) / float64(f.phases)
	}
}

func (f *lightFigure) String() string {
	s := fmt.Sprintf("%3d scenes: refused %6.1f ‰", f.scenes, f.refused)
	if f.waiting > 0 {
		s += fmt.Sprintf(", waits %6.3f w longer, worst %6.2f w", f.wait, f.worst)
	}
	if f.phases > 0 {
		s += fmt.Sprintf(", used %.3f of a busy phase", f.used)
	}
	return s
}

// TestLightUse shows what a client waits that seldom needs the whole quota, or only for a while, and what it is refused.
// With -v it logs a table.
func TestLightUse(t *testing.T) {
	var seeds []uint64
	for seed := uint64(*lightFrom); len(seeds) < *lightSeeds && seed < uint64(*lightFrom)+100_000; seed++ {
		if matches(newLightScene(seed).String(), *lightOnly) {
			seeds = append(seeds, seed)
		}
	}
	scenes, figures := make([]*lightScene, len(seeds)), make([]lightFigure, len(seeds))
	inParallel(len(seeds), func(i int) {
		scenes[i] = newLightScene(seeds[i])
		figures[i] = scenes[i].play().figure()
	})
	table := map[string]*lightFigure{}
	for i, s := range scenes {
		if *lightTrace {
			t.Logf("%v: %v", s, &figures[i])
		}
		for _, key := range []string{"all", "tells " + s.tells(), "use " + s.use, "tells " + s.tells() + ", use " + s.use, "kind " + s.kind} {
			if table[key] == nil {
				table[key] = &lightFigure{}
			}
			table[key].add(&figures[i])
		}
	}
	logTable(t, table)
	if len(seeds) != lightTallied || seeds[lightTallied-1] != lightTallied-1 {
		return
	}
	for way, most := range mostLight {
		table["tells "+way].assertAtMost(t, way, &most)
	}
}

func (f *lightFigure) assertAtMost(t *testing.T, way string, most *lightFigure) {
	t.Helper()
	assert.LessOrEqual(t, f.refused, most.refused, "%s: refused per thousand", way)
	assert.LessOrEqual(t, f.wait, most.wait, "%s: windows that requests wait longer", way)
	assert.LessOrEqual(t, f.worst, most.worst, "%s: windows that one in a hundred waits longer", way)
	assert.GreaterOrEqual(t, f.used, most.used, "%s: used in busy phases", way)
}
