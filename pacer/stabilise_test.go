package pacer_test

import (
	"encoding/binary"
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/pacer"
)

var (
	stabiliseSeeds = flag.Int("stabilise.seeds", stabiliseUsual, "scenes of TestStabilises")
	stabiliseFrom  = flag.Int("stabilise.from", 0, "first seed of TestStabilises")
	stabiliseOnly  = flag.String("stabilise.only", "", "only scenes with this in their name")
	stabiliseTrace = flag.Bool("stabilise.trace", false, "show each tenth of the time")
)

type disturbance int

const (
	noDisturbance disturbance = iota
	outage
	errors500
	overloads503
	bareRefusals
	longRefusals
	strayRetryAfter
	strayReset
	brownOut
	otherClients
	restarts
	quotaChanges
	clockJumps
	lostResponses
	reordered
	cachedResponses
	lateResponses
	sleepsLong
	randomState
	disturbances
)

func (d disturbance) String() string {
	return [...]string{
		"none", "outage", "500s", "503s", "bare 429s", "429s with Retry-After", "stray Retry-After", "stray reset", "brown-out",
		"other clients", "restarts", "quota changes", "clock jumps", "lost", "reordered", "cached", "late", "sleep", "random state",
	}[d]
}

// A scene is a server, a client and what disturbs them.
type scene struct {
	seed     uint64
	rng      *rand.Rand
	kind     string
	q, w     float64
	capacity float64
	all      bool
	tells    telling
	latency  float64
	what     disturbance
	warm     float64 // seconds before the disturbance
	long     float64 // its length
	server   textbook
}

func (s *scene) String() string {
	return fmt.Sprintf("seed %d: %s of %g per %g s, capacity %g, all %v, %v, latency %.3g, %v for %.4g s after %.4g s",
		s.seed, s.kind, s.q, s.w, s.capacity, s.all, s.tells, s.latency, s.what, s.long, s.warm)
}

func (s *scene) fresh(q, w float64) textbook {
	switch s.kind {
	case "window":
		return &fixedWindow{q: q, w: w, byClock: true}
	case "window by request":
		return &fixedWindow{q: q, w: w}
	case "log":
		return &slidingLog{q: q, w: w, all: s.all}
	case "counter":
		return &slidingCounter{q: q, w: w}
	case "exponential":
		return &exponential{q: q, w: w}
	}
	c := min(s.capacity, q)
	return &tokenBucket{q: q, w: w, capacity: c, level: c, all: s.all}
}

const mostRate = 60 // requests per second, to bound the work

func newScene(seed uint64) *scene {
	s := &scene{seed: seed, rng: rand.New(rand.NewPCG(seed, 99))}
	r := s.rng
	logUniform := func(least, most float64) float64 { return least * math.Pow(most/least, r.Float64()) }
	s.kind = [...]string{"window", "window by request", "log", "counter", "bucket", "bucket", "exponential"}[r.IntN(7)]
	for s.q == 0 || s.q/s.w > mostRate {
		s.q = math.Round(logUniform(5, 5000))
		s.w = [...]float64{1, 2, 5, 10, 30, 60, 60, 300, 600, 3600}[r.IntN(10)]
	}
	s.capacity, s.all = s.q, r.IntN(2) == 0
	if r.IntN(2) == 0 {
		s.capacity = math.Round(logUniform(1, s.q))
	}
	s.tells = telling(r.IntN(int(tellings)))
	s.latency = [...]float64{0.005, 0.05, 0.05, 0.2, min(1, s.w/4), min(3, s.w)}[r.IntN(6)]
	s.what = disturbance(r.IntN(int(disturbances)))
	s.warm = s.w * logUniform(0.5, 10)
	s.long = logUniform(10, 1200)
	if r.IntN(10) == 0 {
		s.long = 8 * 3600
	}
	if s.long > 1200 && s.q/s.w > 2 {
		s.long = 1200
	}
	return s
}

// result is what a scene showed.
type result struct {
	soon, later float64 // used from the fifth window or minute, from the twentieth
	refused     float64 // part of all
	sent        int
}

func (r result) String() string {
	return fmt.Sprintf("used %.3f, later %.3f, refused %.4f, %d sent", r.soon, r.later, r.refused, r.sent)
}

func (s *scene) bounds() (soon, later, refused float64) {
	soon, later, refused = 0.85, 0.95, 0.02
	if s.latency > 0.3*s.w || s.w <= 2 && s.latency > 0.1 {
		soon, later = 0.8, 0.8
	}
	if !s.tells.isTold() {
		refused = 0.1
	}
	return soon, later, refused
}

func (s *scene) run() result {
	rng := s.rng
	q, w := s.q, s.w
	s.server = s.fresh(q, w)
	phase := rng.Float64() * w
	offset := 1e6*w + phase // of the server's clock, so that windows begin at any time
	begin, end := s.warm, s.warm+s.long
	quiet := end // when the disturbance is over, and Retry-After, too
	jump := 0.0
	cfg := &pacer.Config{Chance: rng.Float64}
	b := &busy{rng: rng, p: pacer.New(cfg), workers: max(8, int(2.5*q/w*s.latency)+2)}
	inside := func(now float64) bool { return now >= begin && now < end }
	jitter := min(0.2, 0.1*w/q/s.latency) // of the latency, so that requests rarely overtake each other
	if s.capacity < 5 {
		jitter /= 10 // such a bucket has no room for it
	}
	b.latency = func(now float64) float64 {
		l := s.latency / 2 * (1 + jitter*(2*rng.Float64()-1))
		if inside(now) && (s.what == reordered || s.what == lateResponses) {
			l += rng.Float64() * w * 1.5 * float64(rng.IntN(2))
		}
		return l
	}
	b.clock = at
	b.sleeps = func(float64) float64 { return 0 }
	stray := [...]float64{60, 300, 600, 3600, 86400, 30 * 86400}[rng.IntN(6)]
	pause := [...]float64{5, 30, 60, 600}[rng.IntN(4)]
	variant := rng.IntN(3)
	strayed, restarted, changed := false, begin, false
	var little textbook
	var cached *exchange
	othersAt := begin
	switch s.what {
	case sleepsLong:
		b.sleeps = func(now float64) float64 {
			if inside(now) {
				return end
			}
			return 0
		}
	case clockJumps:
		j := [...]float64{-600, -30, 30, 600}[rng.IntN(4)]
		if variant == 0 && s.tells == tellEpoch {
			jump = j
		} else {
			b.clock = func(now float64) pacer.Instant {
				if now >= begin {
					now += j
				}
				return at(now)
			}
		}
	case randomState:
		done := false
		b.before = func(now float64, p *pacer.Partition) {
			if now >= begin && !done && p.InFlight() == 0 {
				done = true
				s.mutate(p, cfg, b.clock(now))
			}
		}
	}
	b.serve = func(now float64, e *exchange) {
		on := offset + now
		normal := func(l textbook) {
			r := l.take(on)
			e.answer = s.tells.answer(&r, q, w, on, &e.limit)
		}
		if now >= end {
			if s.what == quotaChanges && !changed {
				changed = true
				switch variant {
				case 0:
					q = max(5, math.Round(q/3))
				case 1:
					q = q * 3
				case 2:
					w = w * 2
				}
				s.server = s.fresh(q, w)
			}
			normal(s.server)
			return
		}
		if now < begin {
			normal(s.server)
			return
		}
		plain := func() { e.answer = pacer.Answer{RetryAfter: pacer.Unknown, Indirect: true} }
		refuse := func(wait float64) {
			e.answer = pacer.Answer{RetryAfter: pacer.Unknown, Refused: true}
			if wait > 0 {
				e.answer.RetryAfter = inSeconds(wait)
				quiet = max(quiet, now+wait+2*s.latency)
			}
		}
		switch s.what {
		case outage:
			e.lost = true
		case errors500:
			plain()
		case overloads503:
			refuse(float64(variant)) // 0: none
			e.answer.Overloaded = true
			e.answer.Indirect = true
		case bareRefusals:
			refuse(0)
		case longRefusals:
			refuse(pause)
		case strayRetryAfter:
			if normal(s.server); !strayed {
				strayed = true
				e.answer.Refused, e.answer.RetryAfter = true, inSeconds(stray)
				if variant == 0 {
					e.answer.Limits = nil
				}
				quiet = max(quiet, now+stray+2*s.latency)
			}
		case strayReset:
			if normal(s.server); !strayed && len(e.answer.Limits) > 0 {
				strayed = true
				e.limit[0].Reset = inSeconds(stray)
				if variant == 0 {
					e.limit[0].Remaining = 0
				}
			}
		case brownOut:
			if little == nil {
				little = s.fresh(max(1, math.Round(q/10)), w)
			}
			r := little.take(on)
			switch {
			case r.ok:
				normal(s.server)
			case variant == 0:
				refuse(0)
			case variant == 1:
				e.answer = s.tells.answer(&r, q, w, on, &e.limit)
			default:
				refuse(1)
				e.answer.Overloaded = true
			}
		case otherClients:
			rate := [...]float64{0.3, 1, 3}[variant] * q / w
			for othersAt < now {
				s.server.take(offset + othersAt)
				othersAt += rng.ExpFloat64() / rate
			}
			normal(s.server)
		case restarts:
			if now-restarted > max(w/3, 5) {
				restarted = now
				s.server = s.fresh(q, w)
			}
			normal(s.server)
		case lostResponses:
			normal(s.server)
			e.lost = rng.IntN(2) == 0
		case cachedResponses:
			if cached != nil && rng.IntN(3) == 0 {
				e.answer, e.limit = cached.answer, cached.limit
				if len(e.answer.Limits) > 0 {
					e.answer.Limits = e.limit[:]
				}
				return
			}
			normal(s.server)
			if e.answer.Refused {
				return
			}
			if cached == nil || rng.IntN(10) == 0 {
				cached = &exchange{answer: e.answer, limit: e.limit}
			}
		default:
			normal(s.server)
			if jump != 0 && len(e.answer.Limits) > 0 {
				e.limit[0].Reset = max(0, e.limit[0].Reset+inSeconds(jump))
			}
		}
	}
	// Count.
	var times []float64
	var oks []bool
	b.on = func(now float64, e *exchange) {
		if now < end {
			return
		}
		times = append(times, now)
		oks = append(oks, !e.lost && !e.answer.Refused)
	}
	b.run(end)
	for b.now < quiet { // Retry-After
		b.run(quiet)
	}
	five := max(5*w, 300)
	twenty := max(20*w, 1200)
	last := twenty + max(10*w, 300)
	b.run(quiet + last)
	count := func(from, to float64) (ok, all int) {
		for i, at := range times {
			if at >= quiet+from && at < quiet+to {
				all++
				if oks[i] {
					ok++
				}
			}
		}
		return ok, all
	}
	if *stabiliseTrace {
		for i := range 30 {
			step := last / 30
			ok, all := count(float64(i)*step, float64(i+1)*step)
			fmt.Printf("  %6.0f s: used %.3f, refused %d of %d\n", float64(i)*step, float64(ok)/(q/w*step), all-ok, all)
		}
		fmt.Printf("  %+v quiet %v %+v %v\n", b.p.State(b.clock(b.now)), quiet, b.p.Plan(b.clock(b.now), 0, &pacer.Cost{Requests: 1}), b.clock(b.now))
	}
	var r result
	ok, _ := count(five, twenty)
	r.soon = float64(ok) / (q / w * (twenty - five))
	ok, _ = count(twenty, last)
	r.later = float64(ok) / (q / w * (last - twenty))
	ok, all := count(five, last)
	r.refused = float64(all-ok) / float64(max(all, 1))
	r.sent = b.sent
	return r
}

// mutate replaces a partition by one from a damaged snapshot.
func (s *scene) mutate(p *pacer.Partition, cfg *pacer.Config, now pacer.Instant) {
	for range 200 {
		data := p.Snapshot(now)
		n := 1 + s.rng.IntN(6)
		for range n {
			data = mutateVarint(data, s.rng)
		}
		if q, err := pacer.Restore(cfg, data, now, 0, 30*24*time.Hour); err == nil {
			*p = q
			return
		}
	}
}

// mutateVarint replaces one of the numbers in data.
func mutateVarint(data []byte, rng *rand.Rand) []byte {
	var starts []int
	for i := 0; i < len(data); {
		_, n := binary.Varint(data[i:])
		if n <= 0 {
			break
		}
		starts = append(starts, i)
		i += n
	}
	if len(starts) < 2 {
		return data
	}
	k := 1 + rng.IntN(len(starts)-1)
	old, n := binary.Varint(data[starts[k]:])
	v := [...]int64{0, 1, -1, math.MaxInt64, math.MinInt64, old * 2, old / 2, old * 1000, old / 1000, rng.Int64(), rng.Int64N(1e12), int64(math.Float64bits(rng.Float64()))}[rng.IntN(12)]
	out := append([]byte{}, data[:starts[k]]...)
	out = binary.AppendVarint(out, v)
	return append(out, data[starts[k]+n:]...)
}

// onceStuck are seeds of scenes that stopped an earlier version for hours, or for good.
var onceStuck = []int{5, 54, 56, 73, 107, 111, 126, 129, 134, 195, 199, 204, 219, 227, 229, 241, 247, 5005, 5035}

// least and most are bounds for each scene: nobody is stuck.
const (
	leastUsed   = 0.3  // of the quota, from the fifth window or minute on
	mostRefused = 0.75 // of the requests: one server that tells nothing is asked too often
)

// A tally is how far some scenes are from what TestStabilises asks for.
type tally struct {
	runs, failed   int
	short, refused float64 // how much is missing, and too much refused, in percent, in all
}

func (l *tally) String() string {
	n := float64(max(l.runs, 1))
	return fmt.Sprintf("%4d of %4d failed, short of %5.2f %%, refused %5.2f %% too much", l.failed, l.runs, l.short/n, l.refused/n)
}

// mostMissed are bounds for the mean of the default scenes by way of telling: how much of the quota is missing, and too
// much refused, in percent. They are to be lowered, and never raised without a reason in the commit message.
var mostMissed = map[telling]tally{
	tellDraft10: {short: 2, refused: 0.5}, tellTrio: {short: 4, refused: 1.5}, tellEpoch: {short: 4, refused: 2},
	tellCounts: {short: 4, refused: 2}, tellWaits: {short: 4, refused: 1}, tellNothing: {short: 3, refused: 10},
}

// TestStabilises shows that the pacer always gets back on its feet. From the fifth window or minute after a disturbance
// on, whichever is later, a busy client should use 85 % of the quota, and from the twentieth on 95 %. At most 2 % of its
// requests should be refused where limits are told, and 10 % where they are not. Most random scenes meet that in full,
// the means by way of telling nearly, and no scene is stuck. With -stabilise.seeds it runs thousands of scenes and prints tables.
func TestStabilises(t *testing.T) {
	seeds := onceStuck
	for seed := *stabiliseFrom; len(seeds) < *stabiliseSeeds && seed < *stabiliseFrom+100_000; seed++ {
		if matches(newScene(uint64(seed)).String(), *stabiliseOnly) && !slices.Contains(onceStuck, seed) {
			seeds = append(seeds, seed)
		}
	}
	results := make([]result, len(seeds))
	var next atomic.Int64
	var all sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(seeds); i = int(next.Add(1)) - 1 {
				results[i] = newScene(uint64(seeds[i])).run()
			}
		})
	}
	all.Wait()
	by := map[string]*tally{}
	for i, r := range results {
		s := newScene(uint64(seeds[i]))
		failed := s.tally(r, by)
		if failed && testing.Verbose() {
			t.Logf("%s\n      %s", s, r)
		}
		assert.GreaterOrEqual(t, min(r.soon, r.later), leastUsed, "%s: %s", s, r)
		assert.LessOrEqual(t, r.refused, mostRefused, "%s: %s", s, r)
	}
	for _, key := range slices.Sorted(maps.Keys(by)) {
		t.Logf("%-30s %v", key, by[key])
	}
	for tells, most := range mostMissed {
		if mean := by["tells "+tells.String()]; mean != nil && *stabiliseOnly == "" && *stabiliseFrom == 0 {
			require.LessOrEqual(t, mean.short, most.short*float64(mean.runs), tells)
			require.LessOrEqual(t, mean.refused, most.refused*float64(mean.runs), tells)
		}
	}
}

// tally adds a result to the tallies of its kind, and reports whether it failed.
func (s *scene) tally(r result, by map[string]*tally) (failed bool) {
	soon, later, refused := s.bounds()
	failed = r.soon < soon || r.later < later || r.refused > refused
	for _, key := range []string{"all", "tells " + s.tells.String(), "kind " + s.kind, "what " + s.what.String()} {
		if by[key] == nil {
			by[key] = &tally{}
		}
		l := by[key]
		l.runs++
		l.short += 100 * (max(0, soon-r.soon) + max(0, later-r.later))
		l.refused += 100 * max(0, r.refused-refused)
		if failed {
			l.failed++
		}
	}
	return failed
}

func matches(name, only string) bool {
	for part := range strings.SplitSeq(only, "&") {
		ok := false
		for one := range strings.SplitSeq(part, "|") {
			ok = ok || strings.Contains(name, one)
		}
		if !ok {
			return false
		}
	}
	return true
}
