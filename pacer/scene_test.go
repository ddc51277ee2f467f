package pacer_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/headway-go/headway/pacer"
)

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
func (s *scene) limiter(quota, window float64) textbook {
	switch s.kind {
	case "window":
		return &fixedWindow{quota: quota, window: window, byClock: true}
	case "window by request":
		return &fixedWindow{quota: quota, window: window}
	case "log":
		return &slidingLog{quota: quota, window: window, all: s.all}
	case "counter":
		return &slidingCounter{quota: quota, window: window}
	case "exponential":
		return &exponential{quota: quota, window: window}
	}
	capacity := min(s.capacity, quota)
	return &tokenBucket{quota: quota, window: window, capacity: capacity, level: capacity, all: s.all}
}

// oneWay draws the latency of one way. It varies so little that requests seldom overtake each other.
func (s *scene) oneWay(float64) float64 {
	jitter := min(0.2, 0.1*s.window/s.quota/s.latency)
	if s.capacity < 5 { // such a bucket has no room for it
		jitter /= 10
	}
	return s.latency / 2 * (1 + jitter*(2*s.rng.Float64()-1))
}

// A play is a scene that is played.
type play struct {
	*scene // as it was drawn

	cfg     *pacer.Config
	client  *busy
	server  textbook
	granted struct{ quota, window float64 } // by the server, now
	offset  float64                         // of the server's clock, so that windows begin at any time
	ends    float64                         // when the disturbance is over
	quiet   float64                         // when Retry-After, too, requires nothing any more

	serve func(now float64, e *exchange) // serves a request while the disturbance lasts
	over  func()                         // called before the first request after it; nil: no longer

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
	p := &play{scene: s, server: s.limiter(s.quota, s.window), ends: s.begins + s.lasts}
	p.granted.quota, p.granted.window = s.quota, s.window
	p.offset = 1e6*s.window + s.rng.Float64()*s.window
	p.quiet = p.ends
	p.cfg = &pacer.Config{Chance: s.rng.Float64}
	p.client = &busy{
		partition: pacer.New(p.cfg),
		workers:   max(8, int(2.5*s.quota/s.window*s.latency)+2),
		latency:   p.oneWay,
		serve:     p.arrived,
		returned:  p.returned,
		clock:     at,
	}
	p.serve = p.usual
	p.stray = pick(s.rng, 60.0, 300, 600, 3600, 86400, 30*86400)
	p.pause = pick(s.rng, 5.0, 30, 60, 600)
	p.variant = s.rng.IntN(3)
	s.what.prepare(p)
	p.client.run(p.ends)
	p.client.run(p.quiet + s.spans().last)
	return p
}

// isDisturbed reports whether the disturbance lasts.
func (p *play) isDisturbed(now float64) bool { return now >= p.begins && now < p.ends }

// arrived serves a request.
func (p *play) arrived(now float64, e *exchange) {
	if p.isDisturbed(now) {
		p.serve(now, e)
		return
	}
	if now >= p.ends && p.over != nil {
		p.over()
		p.over = nil
	}
	p.usual(now, e)
}

// usual serves a request as the server usually does.
func (p *play) usual(now float64, e *exchange) { p.decide(p.server, now, e) }

// decide serves a request by a limiter, and reports the server's usual limit.
func (p *play) decide(l textbook, now float64, e *exchange) {
	on := p.offset + now
	r := l.take(on)
	e.answer = p.reports.answer(&r, p.granted.quota, p.granted.window, on, &e.limit)
}

// refuse refuses a request with a Retry-After of so many seconds; 0: none.
func (p *play) refuse(now, wait float64, e *exchange) {
	e.answer = pacer.Answer{RetryAfter: pacer.Unknown, Refused: true}
	if wait > 0 {
		e.answer.RetryAfter = inSeconds(wait)
		p.pauses(now, wait)
	}
}

// pauses notes that a response requires the client to wait, for which it is not to blame.
func (p *play) pauses(now, wait float64) { p.quiet = max(p.quiet, now+wait+2*p.latency) }

func (p *play) returned(now float64, e *exchange) {
	if now >= p.ends {
		p.responses = append(p.responses, response{now, !e.lost && !e.answer.Refused})
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

// trace returns what was used in each thirtieth of the time after the disturbance, and what the pacer knows at its end.
func (p *play) trace() string {
	var b strings.Builder
	step := p.spans().last / 30
	for i := range 30 {
		from, to := float64(i)*step, float64(i+1)*step
		served, all := p.count(from, to)
		fmt.Fprintf(&b, "  %6.0f s: used %.3f, refused %d of %d\n", from, p.used(from, to), all-served, all)
	}
	now := p.client.clock(p.client.now)
	fmt.Fprintf(&b, "  at %v, quiet since %.1f s: %+v\n", now, p.quiet, p.client.partition.State(now))
	fmt.Fprintf(&b, "  %+v", p.client.partition.Plan(now, 0, &pacer.Cost{Requests: 1}))
	return b.String()
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
	p.serve = func(_ float64, e *exchange) { e.lost = true }
}

// errors: each response is a 500 that reports nothing.
func (p *play) errors() {
	p.serve = func(_ float64, e *exchange) { e.answer = pacer.Answer{RetryAfter: pacer.Unknown, Indirect: true} }
}

// overloads: each response is a 503, bare or with a Retry-After of a second or two.
func (p *play) overloads() {
	p.serve = func(now float64, e *exchange) {
		p.refuse(now, float64(p.variant), e)
		e.answer.Overloaded, e.answer.Indirect = true, true
	}
}

// bareRefusals: each response is a 429 that reports nothing.
func (p *play) bareRefusals() {
	p.serve = func(now float64, e *exchange) { p.refuse(now, 0, e) }
}

// longRefusals: each response is a 429 with a long Retry-After.
func (p *play) longRefusals() {
	p.serve = func(now float64, e *exchange) { p.refuse(now, p.pause, e) }
}

// strayRetryAfter: the first response is a refusal with a Retry-After of a minute to a month, often without the limit.
func (p *play) strayRetryAfter() {
	isOver := false
	p.serve = func(now float64, e *exchange) {
		if p.usual(now, e); isOver {
			return
		}
		isOver = true
		e.answer.Refused, e.answer.RetryAfter = true, inSeconds(p.stray)
		if p.variant == 0 {
			e.answer.Limits = nil
		}
		p.pauses(now, p.stray)
	}
}

// strayReset: the first report has a reset of a minute to a month, sometimes with nothing left.
func (p *play) strayReset() {
	isOver := false
	p.serve = func(now float64, e *exchange) {
		if p.usual(now, e); isOver || len(e.answer.Limits) == 0 {
			return
		}
		isOver = true
		e.limit[0].Reset = inSeconds(p.stray)
		if p.variant == 0 {
			e.limit[0].Remaining = 0
		}
	}
}

// brownOut: the server serves a tenth of its quota, and refuses the rest bare, in its usual way, or with a 503.
func (p *play) brownOut() {
	scarce := p.limiter(max(1, math.Round(p.quota/10)), p.window)
	p.serve = func(now float64, e *exchange) {
		p.decide(scarce, now, e)
		switch {
		case !e.answer.Refused:
			p.usual(now, e)
		case p.variant == 0:
			p.refuse(now, 0, e)
		case p.variant == 2:
			p.refuse(now, 1, e)
			e.answer.Overloaded = true
		}
	}
}

// otherClients: others send 0.3, 1 or 3 times the quota.
func (p *play) otherClients() {
	rate := [...]float64{0.3, 1, 3}[p.variant] * p.quota / p.window
	next := p.begins
	p.serve = func(now float64, e *exchange) {
		for next < now {
			p.server.take(p.offset + next)
			next += p.rng.ExpFloat64() / rate
		}
		p.usual(now, e)
	}
}

// restarts: the server forgets what was used, several times in a window.
func (p *play) restarts() {
	last := p.begins
	p.serve = func(now float64, e *exchange) {
		if now-last > max(p.window/3, 5) {
			last = now
			p.server = p.limiter(p.quota, p.window)
		}
		p.usual(now, e)
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
		p.server = p.limiter(p.granted.quota, p.granted.window)
	}
}

// clockJumps: the client's clock jumps by up to ten minutes, back or forth. Or the server's does for a while, if its
// resets depend on that.
func (p *play) clockJumps() {
	jump := pick(p.rng, -600.0, -30, 30, 600)
	if p.variant != 0 || p.reports != reportEpoch {
		p.client.clock = func(now float64) pacer.Instant {
			if now >= p.begins {
				now += jump
			}
			return at(now)
		}
		return
	}
	p.serve = func(now float64, e *exchange) {
		p.usual(now, e)
		e.limit[0].Reset = max(0, e.limit[0].Reset+inSeconds(jump))
	}
}

// lostResponses: every second response does not come.
func (p *play) lostResponses() {
	p.serve = func(now float64, e *exchange) {
		p.usual(now, e)
		e.lost = p.rng.IntN(2) == 0
	}
}

// cachedResponses: every third response is an old one. A tenth of the others are stored for that.
func (p *play) cachedResponses() {
	var cached *exchange
	p.serve = func(now float64, e *exchange) {
		if cached != nil && p.rng.IntN(3) == 0 {
			e.answer, e.limit = cached.answer, cached.limit
			if len(e.answer.Limits) > 0 {
				e.answer.Limits = e.limit[:]
			}
			return
		}
		if p.usual(now, e); e.answer.Refused {
			return
		}
		if cached == nil || p.rng.IntN(10) == 0 {
			cached = &exchange{answer: e.answer, limit: e.limit}
		}
	}
}

// lateResponses: every second way takes up to one and a half windows longer, so responses overtake each other.
func (p *play) lateResponses() {
	p.client.latency = func(now float64) float64 {
		l := p.oneWay(now)
		if p.isDisturbed(now) {
			l += p.rng.Float64() * p.window * 1.5 * float64(p.rng.IntN(2))
		}
		return l
	}
}

// sleep: the client's process sleeps.
func (p *play) sleep() {
	p.client.sleeps = func(now float64) float64 {
		if p.isDisturbed(now) {
			return p.ends
		}
		return 0
	}
}

// randomState: the client goes on with a damaged snapshot.
func (p *play) randomState() {
	p.client.before = func(now float64) {
		if now < p.begins || p.client.partition.InFlight() > 0 {
			return
		}
		p.client.before = nil
		time := p.client.clock(now)
		for range 200 { // many are no snapshots any more
			data := p.client.partition.Snapshot(time)
			for range 1 + p.rng.IntN(6) {
				data = damaged(data, p.rng)
			}
			if state, err := pacer.Restore(p.cfg, data, time, 0, 30*day); err == nil {
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
