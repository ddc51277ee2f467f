package pacer_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/headway-go/headway/pacer"
)

// A limited is a busy client of a server with one limiter, and other clients of that server. Times are seconds since the
// client began.
type limited struct {
	client        *busy
	server        textbook
	reports       reporting
	quota, window float64
	latency       float64   // of a round trip, without what the server works
	work          float64   // how long the server works on a request that it serves
	varies        float64   // part by which each of them is longer or shorter
	offset        float64   // of the server's clock
	others        []float64 // when other clients use a unit, the first one first
	rng           *rand.Rand

	decided []decided
}

// A decided is a unit that the server was asked for.
type decided struct {
	at  float64
	own bool // by the client; else by others
	ok  bool
}

// start makes the client, which begins to send when it runs. The other fields are set.
func (l *limited) start(seed uint64, workers int) {
	l.rng = rand.New(rand.NewPCG(seed, 11))
	l.client = &busy{
		partition: pacer.New(&pacer.Config{Chance: l.rng.Float64}),
		workers:   workers,
		latency:   func(float64) float64 { return l.vary(l.latency / 2) },
		serve:     l.serve,
		served:    func() {},
		returned:  func(float64, *exchange) {},
		clock:     at,
	}
}

// vary returns a time that is longer or shorter by chance.
func (l *limited) vary(usual float64) float64 { return usual * (1 + l.varies*(2*l.rng.Float64()-1)) }

// run goes on until a time.
func (l *limited) run(until float64) {
	l.client.run(until)
	l.let(until)
}

// let lets the other clients use what they use until a time.
func (l *limited) let(until float64) {
	for len(l.others) > 0 && l.others[0] <= until {
		at := l.others[0]
		l.others = l.others[1:]
		l.decided = append(l.decided, decided{at, false, l.server.take(l.offset + at).ok})
	}
}

// serve decides about a request of the client.
func (l *limited) serve(now float64, e *exchange) {
	l.let(now)
	on := l.offset + now
	r := l.server.take(on)
	l.decided = append(l.decided, decided{now, true, r.ok})
	e.answer = l.reports.answer(&r, l.quota, l.window, on, &e.limit)
	if !r.ok || l.work == 0 {
		return
	}
	e.work = l.vary(l.work)
	if l.reports == reportEpoch { // Date is when the response is written, and the reset counts from it
		e.limit[0].Reset = max(0, wholeUp(on+r.reset-math.Floor(on+e.work)))
	}
}

// count returns how many units of the client, or of others, were granted in a time, and how many refused.
func (l *limited) count(own bool, from, to float64) (granted, refused int) {
	for _, d := range l.decided {
		switch {
		case d.own != own || d.at < from || d.at >= to:
		case d.ok:
			granted++
		default:
			refused++
		}
	}
	return granted, refused
}

// refused returns the part of the client's requests in a time that were refused.
func (l *limited) refused(from, to float64) float64 {
	granted, refused := l.count(true, from, to)
	return float64(refused) / float64(max(granted+refused, 1))
}

// nth returns when the nth request of the client after a time was granted; infinite: never.
func (l *limited) nth(n int, after float64) float64 {
	for _, d := range l.decided {
		if d.own && d.ok && d.at >= after {
			if n--; n == 0 {
				return d.at
			}
		}
	}
	return math.Inf(1)
}

// share returns the share of the only limit that the client knows; 1 if there is none.
func (l *limited) share() float64 {
	if s := l.client.partition.State(at(l.client.now)); len(s.Limits) == 1 {
		return s.Limits[0].Share
	}
	return 1
}

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

// median returns the middle one of some numbers; 0 if there are none.
func median(of []float64) float64 {
	if len(of) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(of))
	return sorted[len(sorted)/2]
}

// logLines logs lines as one text.
func logLines(t *testing.T, lines []string) {
	t.Helper()
	text := ""
	for _, line := range lines {
		text += "\n" + line
	}
	t.Log(text)
}

// logTable logs a table with the rows in the order of their keys.
func logTable[V fmt.Stringer](t *testing.T, rows map[string]V) {
	t.Helper()
	var lines []string
	for _, key := range slices.Sorted(maps.Keys(rows)) {
		lines = append(lines, fmt.Sprintf("%-40s %v", key, rows[key]))
	}
	logLines(t, lines)
}
