package pacer_test

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/headway-go/headway/pacer"
	"github.com/headway-go/headway/ratelimittest"
)

var (
	stabiliseSeeds = flag.Int("stabilise.seeds", 40, "how many random scenes TestStabilises plays")
	stabiliseFrom  = flag.Int("stabilise.from", 0, "the first seed of TestStabilises")
)

// Nobody is stuck: bounds for every single scene.
const (
	leastSoon   = 0.1 // of the quota, from the fifth window or minute on
	leastLater  = 0.3 // from the twentieth on
	mostRefused = 0.6 // of the requests
)

// tallied is how many scenes mostMissed is about: the first ones. Fewer are judged one by one only.
const tallied = 200

// mostMissed is by how much the first scenes may miss what TestStabilises requires, by way of reporting. It has how many
// scenes do, and in the mean how much of the quota is missing, and how much too much is refused, in percent. It is what
// was measured, rounded up a little. It is to be lowered whenever it can be, and never raised without a reason.
var mostMissed = map[reporting]tally{
	draft10:    {missed: 1, short: 0.1, refused: 0.1},
	trio:       {missed: 7, short: 2.2, refused: 0.9},
	unixTime:   {missed: 8, short: 3.9, refused: 0.5},
	counts:     {missed: 9, short: 2.7, refused: 1.1},
	retryAfter: {missed: 9, short: 0.8, refused: 0.3},
	nothing:    {missed: 12, short: 1.3, refused: 4.1},
}

// onceStuck are the seeds of further scenes in which an earlier version was stuck, or retried far too often.
var onceStuck = []int{
	5, 54, 56, 66, 73, 107, 111, 126, 129, 134, 143, 147, 195, 199, 204, 219, 227, 229, 241, 247, 785, 1026, 1152, 1257,
	1271, 1334, 1347, 1571, 1707, 1725, 1976, 5005, 5035,
}

// bounds returns what TestStabilises requires.
func (s *scene) bounds() (soon, later, refused float64) {
	soon, later, refused = 0.85, 0.95, 0.02
	if s.latency > 0.3*s.window || s.window <= 2 && s.latency > 0.1 { // much of a window passes before its report comes
		soon, later = 0.8, 0.8
	}
	if !s.reports.hasCounts() {
		refused = 0.1
	}
	return soon, later, refused
}

// misses reports whether a result is not within the bounds.
func (s *scene) misses(r result) bool {
	soon, later, refused := s.bounds()
	return r.soon < soon || r.later < later || r.refused > refused
}

// TestStabilises shows that the pacer always gets back on its feet. It counts from the end of a disturbance, and of what
// Retry-After still requires. From the fifth window or minute on, whichever is later, a busy client should use 85 % of
// the quota, and 95 % from the twentieth. At most 2 % of its requests should be refused where limits are reported, and 10 %
// where they are not. Some random scenes miss that, mostly by little: mostMissed has how many and by how much. But no
// scene is stuck.
//
// With -v it logs the scenes that miss a bound, and a table. mostMissed needs -stabilise.seeds 200, as .ci/run has it.
func TestStabilises(t *testing.T) {
	var seeds []int
	for i := range *stabiliseSeeds {
		seeds = append(seeds, *stabiliseFrom+i)
	}
	seeds = append(seeds, onceStuck[:part(len(onceStuck))]...)
	scenes, results := make([]*scene, len(seeds)), make([]result, len(seeds))
	inParallel(len(seeds), func(i int) {
		scenes[i] = newScene(uint64(seeds[i]))
		results[i] = scenes[i].play().result()
	})
	var tallies [reportings]tally
	for i, s := range scenes {
		r := results[i]
		if s.misses(r) {
			t.Logf("%s: %s", s, r)
		}
		assert.GreaterOrEqual(t, r.soon, leastSoon, "%s: %s", s, r)
		assert.GreaterOrEqual(t, r.later, leastLater, "%s: %s", s, r)
		assert.LessOrEqual(t, r.refused, mostRefused, "%s: %s", s, r)
		if i < tallied {
			tallies[s.reports].add(s, r)
		}
	}
	all := head("the server tells", "scenes", "miss a bound", "short of, %", "refused too much, %")
	for way := range reportings {
		s, most := tallies[way], mostMissed[way]
		t.Logf("%-12v %4d of %4d miss a bound, short of %5.2f %%, refused %5.2f %% too much", way, s.missed, s.scenes, s.short, s.refused)
		all.row(way, s.scenes, s.missed, fmt.Sprintf("%.1f", s.short), fmt.Sprintf("%.1f", s.refused))
		if *stabiliseSeeds < tallied || *stabiliseFrom > 0 {
			continue
		}
		assert.LessOrEqual(t, s.missed, most.missed, "%v: scenes that miss a bound, of %d", way, s.scenes)
		assert.LessOrEqual(t, s.short, most.short, "%v: percent of the quota that are missing", way)
		assert.LessOrEqual(t, s.refused, most.refused, "%v: percent too much that are refused", way)
	}
	writeFigures(t, "stabilises", all)
}

// part is how many of n long simulations are played: all of them with -stabilise.seeds 200.
func part(n int) int { return max(1, min(n, n**stabiliseSeeds/200)) }

// inParallel calls a function with 0 to n-1, some at a time.
func inParallel(n int, do func(i int)) {
	var taken atomic.Int64
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := int(taken.Add(1)) - 1; i < n; i = int(taken.Add(1)) - 1 {
				do(i)
			}
		})
	}
	workers.Wait()
}

// A tally is by how much some scenes miss the bounds.
type tally struct {
	scenes, missed int
	short, refused float64 // mean of how much of the quota is missing, and how much too much is refused, in percent
}

func (l *tally) add(s *scene, r result) {
	soon, later, refused := s.bounds()
	l.scenes++
	if s.misses(r) {
		l.missed++
	}
	l.short += (100*(max(0, soon-r.soon)+max(0, later-r.later)) - l.short) / float64(l.scenes)
	l.refused += (100*max(0, r.refused-refused) - l.refused) / float64(l.scenes)
}

// A scene is a server, a client that is always busy, and what disturbs them for a while. A seed decides all of it.
// Times are seconds.
type scene struct {
	seed          uint64
	rng           *rand.Rand // so a scene is played only once
	kind          string     // of the server's limiter
	quota, window float64
	capacity      float64 // of a bucket
	all           bool    // a log or bucket tells when all units are back, else when the next one is
	reports       reporting
	latency       float64 // of a round trip
	what          disturbance
	begins, lasts float64 // of the disturbance
}

func (s *scene) String() string {
	return fmt.Sprintf("seed %d: %s of %g per %g s, capacity %g, all %v, %v, latency %.3g, %s for %.4g s after %.4g s",
		s.seed, s.kind, s.quota, s.window, s.capacity, s.all, s.reports, s.latency, s.what.name, s.lasts, s.begins)
}

// newScene draws a scene. The order of the draws is part of what a seed means, here and wherever a scene is played.
func newScene(seed uint64) *scene {
	const mostRate = 60 // requests per second, to bound the work
	rng := rand.New(rand.NewPCG(seed, 99))
	s := &scene{seed: seed, rng: rng}
	s.kind = pick(rng, "window", "window by request", "log", "counter", "bucket", "bucket", "exponential")
	for s.quota == 0 || s.quota/s.window > mostRate {
		s.quota = math.Round(logUniform(rng, 5, 5000))
		s.window = pick(rng, 1.0, 2, 5, 10, 30, 60, 60, 300, 600, 3600)
	}
	s.capacity, s.all = s.quota, rng.IntN(2) == 0
	if rng.IntN(2) == 0 {
		s.capacity = math.Round(logUniform(rng, 1, s.quota))
	}
	s.reports = reporting(rng.IntN(int(reportings)))
	s.latency = pick(rng, 0.005, 0.05, 0.05, 0.2, min(1, s.window/4), min(3, s.window))
	s.what = pick(rng, disturbances...)
	s.begins = s.window * logUniform(rng, 0.5, 10)
	s.lasts = logUniform(rng, 10, 1200)
	if rng.IntN(10) == 0 {
		s.lasts = 8 * 3600
	}
	if s.lasts > 1200 && s.quota/s.window > 2 {
		s.lasts = 1200
	}
	return s
}

// logUniform draws a number of any magnitude between two.
func logUniform(rng *rand.Rand, least, most float64) float64 {
	return least * math.Pow(most/least, rng.Float64())
}

// limiter returns a new limiter of the scene's kind.
func (s *scene) limiter(quota, window float64) ratelimittest.Limiter {
	p := ratelimittest.Per(int64(quota), inSeconds(window))
	switch s.kind {
	case "log":
		return &ratelimittest.SlidingLog{Policy: p, FullReset: s.all}
	case "bucket":
		return &ratelimittest.TokenBucket{Policy: p, Capacity: int64(min(s.capacity, quota)), FullReset: s.all}
	}
	return newLimiter(s.kind, p)
}

// oneWay draws the latency of one way. It varies so little that requests seldom overtake each other.
func (s *scene) oneWay() time.Duration {
	jitter := min(0.2, 0.1*s.window/s.quota/s.latency)
	if s.capacity < 5 { // such a bucket has no room for it
		jitter /= 10
	}
	return inSeconds(s.latency / 2 * (1 + jitter*(2*s.rng.Float64()-1)))
}

// A play is a scene that is played.
type play struct {
	*scene  // as it was drawn
	server  server
	client  *client
	granted struct{ quota, window float64 } // by the server, now
	ends    float64                         // when the disturbance is over
	quiet   float64                         // when Retry-After, too, requires nothing any more

	serve func(e *exchange) // serves a request while the disturbance lasts
	over  func()            // called before the first request after it; nil: no longer

	stray, pause float64 // for a disturbance with a wrong time, and one with a long Retry-After
	variant      int     // 0, 1 or 2, of the disturbance

	responses []response // after the disturbance
}

// A response is what came back at a time.
type response struct {
	at float64
	ok bool
}

// play plays the scene, until it can be judged.
func (s *scene) play() *play {
	p := &play{scene: s, ends: s.begins + s.lasts}
	p.granted.quota, p.granted.window = s.quota, s.window
	p.server = server{limiter: s.limiter(s.quota, s.window), tells: s.reports, offset: inSeconds(s.rng.Float64() * s.window)}
	p.quiet = p.ends
	w := &world{rng: s.rng, latency: s.oneWay, serve: p.arrived, read: p.returned}
	p.client = w.join(pacer.Config{}, max(8, int(2.5*s.quota/s.window*s.latency)+2), 0)
	p.serve = p.usual
	p.stray = pick(s.rng, 60.0, 300, 600, 3600, 86400, 30*86400)
	p.pause = pick(s.rng, 5.0, 30, 60, 600)
	p.variant = s.rng.IntN(3)
	s.what.prepare(p)
	w.run(inSeconds(p.ends))
	w.run(inSeconds(p.quiet + s.spans().last))
	return p
}

// now is the time in seconds.
func (p *play) now() float64 { return p.client.now.Seconds() }

// isDisturbed reports whether the disturbance lasts.
func (p *play) isDisturbed() bool { return p.now() >= p.begins && p.now() < p.ends }

// arrived serves a request.
func (p *play) arrived(e *exchange) {
	if p.isDisturbed() {
		p.serve(e)
		return
	}
	if p.now() >= p.ends && p.over != nil {
		p.over()
		p.over = nil
	}
	p.usual(e)
}

// usual serves a request as the server usually does.
func (p *play) usual(e *exchange) { p.server.serve(e) }

// refuse refuses a request with a Retry-After of so many seconds; 0: none.
func (p *play) refuse(wait float64, e *exchange) {
	e.answer = bare429()
	if wait > 0 {
		e.answer.RetryAfter = inSeconds(wait)
		p.pauses(wait)
	}
}

// pauses notes that a response requires the client to wait, for which it is not to blame.
func (p *play) pauses(wait float64) { p.quiet = max(p.quiet, p.now()+wait+2*p.latency) }

func (p *play) returned(e *exchange) {
	if p.now() >= p.ends {
		p.responses = append(p.responses, response{p.now(), !e.lost && !e.answer.Refused})
	}
}

// spans are the times after the disturbance at which judging begins and ends.
type spans struct{ fifth, twentieth, last float64 }

// spans returns the fifth window or minute, whichever is later, the twentieth, and the end.
func (s *scene) spans() spans {
	twentieth := max(20*s.window, 1200)
	return spans{max(5*s.window, 300), twentieth, twentieth + max(10*s.window, 300)}
}

// count returns how many requests were served, and how many came back in all, in a time after the disturbance.
func (p *play) count(from, to float64) (served, all int) {
	for _, r := range p.responses {
		if r.at >= p.quiet+from && r.at < p.quiet+to {
			all++
			if r.ok {
				served++
			}
		}
	}
	return served, all
}

// used returns what part of the quota was used in a time after the disturbance.
func (p *play) used(from, to float64) float64 {
	served, _ := p.count(from, to)
	return float64(served) / (p.granted.quota / p.granted.window * (to - from))
}

// A result is what a scene has shown.
type result struct {
	soon    float64 // part of the quota that was used from the fifth window or minute on
	later   float64 // from the twentieth
	refused float64 // part of all requests from the fifth on
	sent    int     // requests in all
}

func (r result) String() string {
	return fmt.Sprintf("used %.3f, later %.3f, refused %.4f, %d sent", r.soon, r.later, r.refused, r.sent)
}

func (p *play) result() result {
	t := p.spans()
	served, all := p.count(t.fifth, t.last)
	return result{
		soon:    p.used(t.fifth, t.twentieth),
		later:   p.used(t.twentieth, t.last),
		refused: float64(all-served) / float64(max(all, 1)),
		sent:    p.client.sent,
	}
}

// A disturbance is something that happens for a while. prepare makes it happen: it changes how the play serves requests
// while it lasts, or the client's world.
type disturbance struct {
	name    string
	prepare func(*play)
}

var disturbances = []disturbance{
	{"none", func(*play) {}},
	{"outage", (*play).outage},
	{"500s", (*play).errors},
	{"503s", (*play).overloads},
	{"bare 429s", (*play).bareRefusals},
	{"429s with Retry-After", (*play).longRefusals},
	{"stray Retry-After", (*play).strayRetryAfter},
	{"stray reset", (*play).strayReset},
	{"brown-out", (*play).brownOut},
	{"other clients", (*play).otherClients},
	{"restarts", (*play).restarts},
	{"quota changes", (*play).quotaChanges},
	{"clock jumps", (*play).clockJumps},
	{"lost", (*play).lostResponses},
	{"reordered", (*play).lateResponses}, // the same as late: twice as likely
	{"cached", (*play).cachedResponses},
	{"late", (*play).lateResponses},
	{"sleep", (*play).sleep},
	{"random state", (*play).randomState},
}

// outage: no response comes.
func (p *play) outage() {
	p.serve = func(e *exchange) { e.lost = true }
}

// errors: each response is a 500 that reports nothing.
func (p *play) errors() {
	p.serve = func(e *exchange) { e.answer = pacer.Answer{RetryAfter: pacer.Unknown, Indirect: true} }
}

// overloads: each response is a 503, bare or with a Retry-After of a second or two.
func (p *play) overloads() {
	p.serve = func(e *exchange) {
		p.refuse(float64(p.variant), e)
		e.answer.Overloaded, e.answer.Indirect = true, true
	}
}

// bareRefusals: each response is a 429 that reports nothing.
func (p *play) bareRefusals() {
	p.serve = func(e *exchange) { p.refuse(0, e) }
}

// longRefusals: each response is a 429 with a long Retry-After.
func (p *play) longRefusals() {
	p.serve = func(e *exchange) { p.refuse(p.pause, e) }
}

// strayRetryAfter: the first response is a refusal with a Retry-After of a minute to a month, often without the limit.
func (p *play) strayRetryAfter() {
	isOver := false
	p.serve = func(e *exchange) {
		if p.usual(e); isOver {
			return
		}
		isOver = true
		e.answer.Refused, e.answer.RetryAfter = true, inSeconds(p.stray)
		if p.variant == 0 {
			e.answer.Limits = nil
		}
		p.pauses(p.stray)
	}
}

// strayReset: the first report has a reset of a minute to a month, sometimes with nothing left.
func (p *play) strayReset() {
	isOver := false
	p.serve = func(e *exchange) {
		if p.usual(e); isOver || len(e.answer.Limits) == 0 {
			return
		}
		isOver = true
		e.answer.Limits[0].Reset = inSeconds(p.stray)
		if p.variant == 0 {
			e.answer.Limits[0].Remaining = 0
		}
	}
}

// brownOut: the server serves a tenth of its quota, and refuses the rest bare, in its usual way, or with a 503.
func (p *play) brownOut() {
	scarce := p.server
	scarce.limiter = p.limiter(max(1, math.Round(p.quota/10)), p.window)
	p.serve = func(e *exchange) {
		scarce.serve(e)
		for i := range e.answer.Limits {
			e.answer.Limits[i].Quota = int64(p.quota) // as usual
		}
		switch {
		case !e.answer.Refused:
			p.usual(e)
		case p.variant == 0:
			p.refuse(0, e)
		case p.variant == 2:
			p.refuse(1, e)
			e.answer.Overloaded = true
		}
	}
}

// otherClients: others send 0.3, 1 or 3 times the quota.
func (p *play) otherClients() {
	rate := [...]float64{0.3, 1, 3}[p.variant] * p.quota / p.window
	next := p.begins
	p.serve = func(e *exchange) {
		for ; next < p.now(); next += p.rng.ExpFloat64() / rate {
			p.server.limiter.Take(p.server.time(inSeconds(next)), "", 1)
		}
		p.usual(e)
	}
}

// restarts: the server forgets what was used, several times in a window.
func (p *play) restarts() {
	last := p.begins
	p.serve = func(e *exchange) {
		if p.now()-last > max(p.window/3, 5) {
			last = p.now()
			p.server.limiter = p.limiter(p.quota, p.window)
		}
		p.usual(e)
	}
}

// quotaChanges: then the quota is a third or three times as large, or the window is twice as long.
func (p *play) quotaChanges() {
	p.over = func() {
		switch p.variant {
		case 0:
			p.granted.quota = max(5, math.Round(p.quota/3))
		case 1:
			p.granted.quota = p.quota * 3
		case 2:
			p.granted.window = p.window * 2
		}
		p.server.limiter = p.limiter(p.granted.quota, p.granted.window)
	}
}

// clockJumps: the client's clock jumps by up to ten minutes, back or forth. Or the server's does for a while, if its
// resets depend on that.
func (p *play) clockJumps() {
	jump := pick(p.rng, -10*minute, -30*second, 30*second, 10*minute)
	if p.variant != 0 || p.reports != unixTime {
		p.client.clock = func() pacer.Instant {
			if p.now() < p.begins {
				return start.Add(p.client.now)
			}
			return start.Add(p.client.now + jump)
		}
		return
	}
	p.serve = func(e *exchange) {
		p.usual(e)
		e.answer.Limits[0].Reset = max(0, e.answer.Limits[0].Reset+jump)
	}
}

// lostResponses: every second response does not come.
func (p *play) lostResponses() {
	p.serve = func(e *exchange) {
		p.usual(e)
		e.lost = p.rng.IntN(2) == 0
	}
}

// cachedResponses: every third response is an old one. A tenth of the others are stored for that.
func (p *play) cachedResponses() {
	var cached *pacer.Answer
	p.serve = func(e *exchange) {
		if cached != nil && p.rng.IntN(3) == 0 {
			e.answer = *cached
			return
		}
		if p.usual(e); e.answer.Refused {
			return
		}
		if cached == nil || p.rng.IntN(10) == 0 {
			cached = &e.answer
		}
	}
}

// lateResponses: every second way takes up to one and a half windows longer, so responses overtake each other.
func (p *play) lateResponses() {
	p.client.latency = func() time.Duration {
		l := p.oneWay()
		if p.isDisturbed() {
			l += inSeconds(p.rng.Float64() * p.window * 1.5 * float64(p.rng.IntN(2)))
		}
		return l
	}
}

// sleep: the client's process sleeps.
func (p *play) sleep() {
	p.client.sleeps = func() time.Duration {
		if p.isDisturbed() {
			return inSeconds(p.ends)
		}
		return 0
	}
}

// randomState: the client goes on with a damaged snapshot.
func (p *play) randomState() {
	p.client.before = func() {
		if p.now() < p.begins || p.client.partition.InFlight() > 0 {
			return
		}
		p.client.before = nil
		now := p.client.clock()
		for range 200 { // many are no snapshots any more
			data := p.client.partition.Snapshot(now)
			for range 1 + p.rng.IntN(6) {
				data = damaged(data, p.rng)
			}
			if state, err := pacer.Restore(&pacer.Config{Chance: p.rng.Float64}, data, now, 0, 30*day); err == nil {
				p.client.partition = state
				return
			}
		}
	}
}

// saved is a number in a snapshot, with what stands before it.
var saved = regexp.MustCompile(`[:,\[]-?[0-9][0-9.e+-]*`)

// damaged returns a snapshot in which one of the numbers is replaced.
func damaged(data []byte, rng *rand.Rand) []byte {
	at := saved.FindAllIndex(data, -1)
	i := at[1+rng.IntN(len(at)-1)] // the first is the version
	from, to := i[0]+1, i[1]
	old, _ := strconv.ParseFloat(string(data[from:to]), 64)
	odd := pick(rng, 0, 1, -1, math.MaxInt64, math.MinInt64, old*2, old/2, old*1000, old/1000, rng.Float64(), 1e12*rng.Float64(), 1e19*rng.Float64())
	text := strconv.FormatFloat(odd, 'f', -1, 64)
	return slices.Concat(data[:from], []byte(text), data[to:])
}
