package fleet

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/fleet/internal/fleettest"
	"github.com/headway-go/headway/fleet/internal/store"
	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/internal/test/sim"
	"github.com/headway-go/headway/ratelimittest"
)

// A scenario is a server and the processes that share its quota, in virtual time.
type scenario struct {
	algorithm algorithm
	quota     int64
	window    time.Duration
	dialect   ratelimittest.Dialect // nil: Draft10
	workers   int                   // of a process that sends as much as it may; 0: testWorkers
	processes []process
	from, to  time.Duration // the measured time
	alone     bool          // without a fleet, for comparison
	work      time.Duration // from the counting of a request until its response is written
	late      time.Duration // the most by which the store and the network are late at random, each way
}

// A process sends requests from one time until another.
type process struct {
	from, to time.Duration
	rate     float64 // requests per second; 0: as many as it may send
	crashes  bool    // it ends without closing its Fleet
}

// An algorithm is how a server counts.
type algorithm struct {
	name string
	new  func(quota int64, window time.Duration) ratelimittest.Limiter
}

var (
	fixed = algorithm{"fixed window", func(quota int64, window time.Duration) ratelimittest.Limiter {
		l := &ratelimittest.FixedWindow{Policy: ratelimittest.Per(quota, window)}
		l.Aligned = true
		return l
	}}
	linear = algorithm{"linear", func(quota int64, window time.Duration) ratelimittest.Limiter {
		return &ratelimittest.Linear{Policy: ratelimittest.Per(quota, window)}
	}}
)

const (
	latency     = 50 * time.Millisecond
	storeDelay  = 2 * time.Millisecond
	testWorkers = 8 // of a process that sends as much as it may
)

// late returns a random delay of at most that long. Most delays are far shorter: their mean is a quarter of it.
func late(most time.Duration) time.Duration {
	return time.Duration(float64(most) * math.Pow(rand.Float64(), 3))
}

// figures are the results of a scenario.
type figures struct {
	refused  float64 // per 1000 served
	used     float64 // part of the quota
	jain     float64 // of the processes that send as much as they may throughout the measured time
	commands float64 // per second and process, at the store
	first    float64 // refused for each process, before the measured time
	unserved float64 // processes of which no request was served in the first three windows of the measured time
}

func (f figures) String() string {
	return fmt.Sprintf("refused %5.1f ‰, used %.3f, Jain %.3f, %.1f commands/s and process", f.refused, f.used, f.jain, f.commands)
}

// run runs the scenario, which begins phase after the start of a window. Each call must end in one response
// of the server.
func (s *scenario) run(t *testing.T, phase time.Duration) (f figures) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(phase)
		begun := time.Now()
		handler := fleettest.ForAll(s.algorithm.new(s.quota, s.window))
		if s.dialect != nil {
			handler.Dialect = s.dialect
		}
		handler.Next = http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { pause(r.Context(), s.work) })
		shared := newDelayed()
		shared.late = s.late
		var running sync.WaitGroup
		for i := range s.processes {
			p := s.processes[i]
			p.to = min(p.to, s.to)
			running.Go(func() {
				time.Sleep(p.from)
				base := kit.BaseFunc(func(req *http.Request) (*http.Response, error) {
					near := &ratelimittest.Transport{Handler: handler, Latency: latency, RemoteAddr: strconv.Itoa(i)}
					time.Sleep(late(s.late))
					defer func() { time.Sleep(late(s.late)) }()
					return near.RoundTrip(req)
				})
				for _, o := range p.send(t, s, shared, base, rand.New(rand.NewPCG(1, uint64(i)))) {
					if o.Err != nil {
						t.Errorf("process %d: %v", i, o.Err)
					}
				}
			})
		}
		running.Wait()
		all := handler.Arrivals()
		f = s.figures(all.Between(begun.Add(s.from), begun.Add(s.to)))
		f.first = float64(len(all.Between(begun, begun.Add(s.from)).Refused())) / float64(len(s.processes))
		served := make(map[string]bool)
		for _, x := range all.Between(begun.Add(s.from), begun.Add(s.from+3*s.window)).Allowed() {
			served[x.RemoteAddr] = true
		}
		f.unserved = float64(len(s.processes) - len(served))
		f.commands = float64(shared.commands) / s.to.Seconds() / float64(len(s.processes))
	})
	return f
}

// send sends the process's requests.
func (p *process) send(t *testing.T, s *scenario, shared store.Store, base http.RoundTripper, rng *rand.Rand) []ratelimittest.Outcome {
	t.Helper()
	transport := &headway.Transport{Base: base}
	if !s.alone {
		f, err := New(shared, Options{Key: []byte(fleettest.Key)})
		if err != nil {
			t.Error(err)
			return nil
		}
		transport.Fleet = f
		defer func() {
			if p.crashes {
				f.stop()
				<-f.done
				return
			}
			_ = f.Close()
		}()
	}
	client := &http.Client{Transport: transport}
	req, err := http.NewRequestWithContext(context.WithoutCancel(t.Context()), http.MethodGet, "http://api.test/", http.NoBody)
	if err != nil {
		t.Error(err)
		return nil
	}
	span := p.to - p.from
	if p.rate == 0 {
		return ratelimittest.Batch{For: span, Workers: cmp.Or(s.workers, testWorkers)}.Send(client, req)
	}
	// The last requests are early enough to be answered before the end.
	n := int(p.rate * (span - span/10).Seconds())
	return sim.Poisson(rng, n, time.Duration(float64(time.Second)/p.rate)).Send(client, req)
}

func (s *scenario) figures(all ratelimittest.Arrivals) figures {
	served := float64(len(all.Allowed()))
	steady := slices.DeleteFunc(slices.Clone(all), func(x ratelimittest.Arrival) bool {
		i, err := strconv.Atoi(x.RemoteAddr)
		p := &s.processes[i]
		return err != nil || p.rate > 0 || p.from > s.from || p.to < s.to
	})
	return figures{
		refused: 1000 * float64(len(all.Refused())) / max(served, 1),
		used:    served / (float64(s.quota) * float64(s.to-s.from) / float64(s.window)),
		jain:    steady.Jain(func(x ratelimittest.Arrival) string { return x.RemoteAddr }),
	}
}

// require checks the figures against the bounds.
func (f *figures) require(t *testing.T, bounds figures) {
	t.Helper()
	require.LessOrEqual(t, f.refused, bounds.refused, "refused per 1000 served")
	require.GreaterOrEqual(t, f.used, bounds.used, "part of the quota that was used")
	require.GreaterOrEqual(t, f.jain, bounds.jain, "fairness")
	if bounds.first > 0 {
		require.LessOrEqual(t, f.first, bounds.first, "refused at the start")
		require.Zero(t, f.unserved, "processes that are not served")
	}
	if bounds.commands > 0 {
		require.LessOrEqual(t, f.commands, bounds.commands, "load of the store")
	}
}
