package pacer_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/test/page"
	"github.com/headway-go/headway/pacer"
	"github.com/headway-go/headway/ratelimittest"
)

// A workload is clients of one server that are always busy.
type workload struct {
	name    string
	clients int
	workers int           // requests in flight of each, at most
	latency time.Duration // of a round trip
	works   time.Duration // how long the server works on a request that it serves
	windows int64         // for which they are busy
}

var (
	alone  = workload{"alone", 1, 16, 50 * time.Millisecond, 0, 10}
	single = workload{"one worker", 1, 1, 0, 0, 100}
	remote = workload{"64 workers, 2 s away", 1, 64, 2 * second, 0, 10}
	far    = workload{"a window away", 1, 127, 5 * second, 0, 40}
	slow   = workload{"a window's work", 1, 127, 50 * time.Millisecond, 5 * second, 40}
	eight  = workload{"eight", 8, 16, 50 * time.Millisecond, 0, 20}
)

// Figures are what clients of a server achieve, or its bounds.
type figures struct {
	refused float64 // of 1000 served
	used    float64 // part of the quota; a lower bound
	busiest float64 // most served in a tenth of a window, as a multiple of an even share
	jain    float64 // fairness between several clients: 1 if all got the same; a lower bound
}

// A serverRow has the bounds of each kind of server that tells its limits in one way.
type serverRow struct {
	load   workload
	tells  reporting
	quota  int64
	window time.Duration
	bounds map[string]figures
}

// TestServers shows what the pacer achieves by itself at each kind of server, by how it tells its limits: what is refused,
// what is used, how large bursts are, and how fairly several clients share it. A bound is the mean of three runs, with a
// little room. It is to be improved whenever it can be, and never made worse without a reason. With -v it logs the figures.
// With -write it writes the means of each row into docs/figures/pacing.md.
func TestServers(t *testing.T) {
	all := head("clients", "the server tells", "limit", "servers", "refused ‰", "used", "busiest", "Jain")
	for _, row := range serverRows() {
		limit := fmt.Sprintf("%d per %v s", row.quota, row.window.Seconds())
		kinds := slices.Sorted(maps.Keys(row.bounds))
		var mean figures
		for _, kind := range kinds {
			t.Run(fmt.Sprintf("%s, %v, %s, %s", row.load.name, row.tells, limit, kind), func(t *testing.T) {
				const runs = 3
				var f figures
				for seed := range uint64(runs) {
					one := row.play(kind, seed)
					f.add(&one, runs)
				}
				mean.add(&f, float64(len(kinds)))
				t.Logf("refused %.1f of 1000, used %.3f, busiest %.2f, Jain %.3f", f.refused, f.used, f.busiest, f.jain)
				bounds := row.bounds[kind]
				assert.LessOrEqual(t, f.refused, bounds.refused, "refused of 1000")
				assert.GreaterOrEqual(t, f.used, bounds.used, "used")
				assert.LessOrEqual(t, f.busiest, bounds.busiest, "busiest")
				assert.GreaterOrEqual(t, f.jain, bounds.jain, "Jain")
			})
		}
		all.row(row.load.name, row.tells, limit, len(kinds), fmt.Sprintf("%.1f", mean.refused), fmt.Sprintf("%.3f", mean.used),
			fmt.Sprintf("%.1f", mean.busiest), fmt.Sprintf("%.2f", mean.jain))
	}
	writeFigures(t, "servers", all)
}

// add adds one of n figures to their mean.
func (f *figures) add(one *figures, n float64) {
	f.refused += one.refused / n
	f.used += one.used / n
	f.busiest += one.busiest / n
	f.jain += one.jain / n
}

// writeFigures writes a table into docs/figures/pacing.md with -write.
func writeFigures(t *testing.T, name string, all *table) {
	t.Helper()
	if !*write {
		return
	}
	docs, err := page.Docs()
	require.NoError(t, err)
	require.NoError(t, docs.Replace("figures/pacing.md", name, "\n"+all.String()))
}

// serverRows returns the rows. The order of the figures is that of their type.
func serverRows() []serverRow {
	return []serverRow{
		{alone, draft10, 60, minute, map[string]figures{
			"window": {0, 0.965, 3.3, 0}, "window by request": {0, 0.96, 2.8, 0}, "GCRA": {0, 0.99, 3.8, 0},
			"counter": {2, 0.98, 3.3, 0}, "log": {0, 0.925, 2.8, 0}, "log, all back": {0, 0.91, 2.9, 0},
			"bucket": {0, 0.99, 3.7, 0}, "bucket, full": {0, 0.99, 3.8, 0}, "bucket in steps": {2, 0.96, 4, 0},
			"bucket of q/4": {0, 0.995, 3.2, 0}, "exponential": {0, 0.93, 3.4, 0}, "strict GCRA": {0, 0.99, 3.8, 0},
			"GCRA with a penalty": {0, 0.99, 3.8, 0}, "strict log": {0, 0.925, 2.8, 0},
			"strict exponential": {0, 0.93, 3.4, 0},
		}},
		{alone, draft10, 10, second, map[string]figures{
			"window": {0, 0.97, 3.8, 0}, "window by request": {2, 0.955, 3.8, 0}, "GCRA": {0, 0.99, 3.8, 0},
			"counter": {0, 0.89, 3.8, 0}, "log": {0, 0.955, 3.8, 0}, "bucket of q/4": {0, 0.96, 2.1, 0},
			"exponential": {2, 0.865, 3.8, 0},
		}},
		{alone, draft10, 5, minute, map[string]figures{
			"window": {0, 0.975, 3.1, 0}, "GCRA": {0, 0.995, 3.1, 0}, "counter": {24, 0.905, 3.1, 0},
			"log": {0, 0.955, 3.1, 0}, "bucket": {0, 0.995, 4.1, 0},
		}},
		{alone, draft10, 100, hour, map[string]figures{
			"window": {0, 0.965, 2.7, 0}, "GCRA": {0, 0.995, 3.1, 0}, "counter": {0, 0.96, 2.7, 0},
			"log": {0, 0.92, 2.2, 0}, "bucket": {0, 0.995, 3, 0},
		}},
		{single, draft10, 1, minute, map[string]figures{
			"GCRA": {11, 0.98, 1.1, 0},
		}},
		{alone, trio, 60, minute, map[string]figures{
			"window": {0, 0.965, 3.3, 0}, "window by request": {0, 0.96, 2.8, 0}, "GCRA": {4, 0.99, 4.7, 0},
			"counter": {0, 0.95, 3.3, 0}, "log": {3, 0.89, 2.8, 0}, "log, all back": {0, 0.91, 2.9, 0},
			"bucket": {14, 0.99, 10.6, 0}, "bucket, full": {0, 0.995, 5.8, 0}, "bucket in steps": {9, 0.975, 10.1, 0},
			"bucket of q/4": {16, 0.885, 3.4, 0}, "exponential": {3, 0.915, 4.3, 0},
		}},
		{alone, unixTime, 60, minute, map[string]figures{
			"window by request": {0, 0.945, 2.8, 0}, "GCRA": {5, 0.99, 4.6, 0}, "bucket": {11, 0.985, 10.7, 0},
		}},
		{alone, unixTime, 10, second, map[string]figures{
			"window": {0, 0.97, 3.8, 0}, "GCRA": {0, 0.99, 3.5, 0}, "counter": {15, 0.825, 3.8, 0},
			"log": {2, 0.88, 3.5, 0}, "bucket": {0, 0.99, 3.8, 0},
		}},
		{alone, cutTimes, 10, second, map[string]figures{
			"window": {0, 0.97, 3.8, 0}, "GCRA": {0, 0.995, 3.8, 0}, "counter": {15, 0.825, 3.8, 0},
			"log": {0, 0.89, 3.8, 0}, "bucket": {0, 0.99, 3.1, 0},
		}},
		{alone, cutTimes, 60, minute, map[string]figures{
			"window": {0, 0.965, 3.3, 0}, "window by request": {8, 0.855, 2.8, 0}, "log": {4, 0.9, 2.8, 0},
		}},
		{alone, counts, 100, minute, map[string]figures{
			"window": {7, 0.94, 2.3, 0}, "counter": {2, 0.895, 2.3, 0},
		}},
		{alone, countsAlone, 100, minute, map[string]figures{
			"window": {6, 0.875, 2.3, 0}, "GCRA": {2, 0.97, 2.4, 0}, "counter": {2, 0.895, 2.3, 0},
			"log": {2, 0.885, 2.3, 0}, "bucket": {2, 0.97, 2.4, 0},
		}},
		{alone, countsAlone, 10, second, map[string]figures{
			"window": {0, 0.89, 3.5, 0}, "GCRA": {0, 0.965, 3.5, 0}, "counter": {8, 0.85, 3.5, 0},
			"log": {0, 0.66, 3.5, 0}, "bucket": {0, 0.965, 3.5, 0},
		}},
		{alone, noTimes, 100, minute, map[string]figures{
			"window": {0, 0.94, 2.3, 0}, "window by request": {0, 0.955, 2.3, 0}, "counter": {0, 0.905, 2.3, 0},
			"log": {0, 0.935, 2.3, 0}, "bucket": {0, 0.99, 2.2, 0},
		}},
		{alone, leftAlone, 100, minute, map[string]figures{
			"window": {6, 0.94, 2.3, 0}, "GCRA": {2, 0.995, 2.4, 0}, "log": {3, 0.89, 2.3, 0},
		}},
		{alone, noReset, 100, minute, map[string]figures{
			"window": {19, 0.78, 10.1, 0},
		}},
		{alone, alwaysFull, 3, 10 * second, map[string]figures{
			"window": {421, 0.995, 3.1, 0}, "bucket": {459, 0.995, 3.1, 0},
		}},
		{alone, retryAfter, 60, minute, map[string]figures{
			"window": {36, 0.96, 10.1, 0}, "GCRA": {46, 0.99, 11, 0}, "counter": {42, 0.98, 10.1, 0},
			"log": {37, 0.935, 10.1, 0}, "bucket": {46, 0.99, 11, 0},
		}},
		{alone, retryAfter, 10, second, map[string]figures{
			"window": {83, 0.725, 9.8, 0}, "GCRA": {66, 0.86, 10.1, 0}, "counter": {82, 0.71, 9.8, 0},
			"log": {74, 0.76, 9.8, 0}, "bucket": {66, 0.86, 10.1, 0},
		}},
		{alone, nothing, 60, minute, map[string]figures{
			"window": {70, 0.95, 10.1, 0}, "GCRA": {61, 0.99, 11, 0}, "counter": {60, 0.98, 10.1, 0},
			"log": {52, 0.935, 10.1, 0}, "bucket": {61, 0.99, 11, 0},
		}},
		{alone, nothing, 10, second, map[string]figures{
			"window": {84, 0.895, 9.8, 0}, "GCRA": {68, 0.985, 10.1, 0}, "counter": {75, 0.885, 9.8, 0},
			"log": {79, 0.835, 9.8, 0}, "bucket": {68, 0.985, 10.1, 0},
		}},
		{remote, draft10, 100, minute, map[string]figures{
			"window": {0, 0.965, 2.9, 0}, "GCRA": {0, 0.99, 3, 0}, "counter": {0, 0.72, 2.9, 0},
			"log": {1, 0.935, 2.5, 0}, "bucket": {2, 0.99, 3.1, 0},
		}},
		{remote, trio, 100, minute, map[string]figures{
			"window": {0, 0.965, 3, 0}, "GCRA": {3, 0.99, 4.1, 0}, "counter": {2, 0.975, 3, 0},
			"log": {4, 0.915, 2.5, 0}, "bucket": {13, 0.99, 7.7, 0},
		}},
		{far, draft10, 50, 5 * second, map[string]figures{
			"window": {2, 0.9, 2.4, 0}, "GCRA": {0, 0.905, 2.4, 0}, "counter": {7, 0.855, 2.2, 0},
			"log": {16, 0.805, 2.3, 0}, "bucket": {0, 0.905, 2.4, 0},
		}},
		{slow, draft10, 50, 5 * second, map[string]figures{
			"window": {0, 0.915, 1.3, 0}, "GCRA": {0, 0.91, 1.3, 0}, "counter": {0, 0.92, 1.3, 0},
			"log": {0, 0.925, 1.3, 0}, "bucket": {0, 0.91, 1.3, 0},
		}},
		{slow, unixTime, 50, 5 * second, map[string]figures{
			"GCRA": {5, 0.905, 5.2, 0}, "counter": {3, 0.51, 3, 0}, "bucket": {2, 0.91, 2.7, 0},
		}},
		{eight, draft10, 100, minute, map[string]figures{
			"window": {4, 0.95, 6.3, 0.97}, "GCRA": {3, 0.99, 6.8, 0.97}, "counter": {6, 0.93, 6.3, 0.88},
			"log": {11, 0.925, 5.4, 0.97}, "bucket": {4, 0.99, 6.8, 0.96},
		}},
		{eight, draft10, 10, second, map[string]figures{
			"window": {211, 0.975, 7.5, 0.86}, "GCRA": {107, 0.99, 7.5, 0.9}, "counter": {173, 0.85, 7.5, 0.91},
			"log": {138, 0.855, 7.5, 0.94}, "bucket": {107, 0.99, 7.5, 0.9},
		}},
		{eight, trio, 100, minute, map[string]figures{
			"window": {4, 0.95, 7.5, 0.97}, "GCRA": {18, 0.99, 7.8, 0.71}, "counter": {8, 0.925, 7.1, 0.86},
			"log": {16, 0.92, 5.4, 0.85}, "bucket": {35, 0.99, 11, 0.81},
		}},
		{eight, countsAlone, 100, minute, map[string]figures{
			"window": {26, 0.965, 6, 0.81}, "GCRA": {2, 0.99, 5.8, 0.77}, "counter": {4, 0.91, 5.9, 0.79},
			"log": {6, 0.88, 5.9, 0.64}, "bucket": {2, 0.99, 5.8, 0.77},
		}},
		{eight, retryAfter, 100, minute, map[string]figures{
			"window": {113, 0.98, 13.4, 0.61}, "GCRA": {139, 0.995, 11, 0.92}, "counter": {151, 0.985, 10.2, 0.87},
			"log": {120, 0.965, 10.1, 0.64}, "bucket": {139, 0.995, 11, 0.92},
		}},
		{eight, nothing, 100, minute, map[string]figures{
			"window": {248, 0.98, 13.5, 0.73}, "GCRA": {186, 0.995, 11, 0.87}, "counter": {222, 0.985, 10.2, 0.84},
			"log": {257, 0.945, 10.1, 0.75}, "bucket": {186, 0.995, 11, 0.87},
		}},
	}
}

// play runs the clients. The seed also decides when in a window they begin.
func (r *serverRow) play(kind string, seed uint64) figures {
	var arrivals ratelimittest.Arrivals
	s := &server{limiter: newLimiter(kind, ratelimittest.Per(r.quota, r.window)), tells: r.tells}
	w := newWorld(seed, r.load.latency, func(e *exchange) {
		e.work = r.load.works
		isAllowed := s.serve(e)
		arrivals = append(arrivals, ratelimittest.Arrival{
			Time: s.time(e.client.now), Client: fmt.Sprint(slices.Index(e.client.clients, e.client)), Cost: 1, Allowed: isAllowed,
		})
	})
	s.offset = time.Duration(float64(r.window) * w.rng.Float64())
	for range r.load.clients {
		w.join(pacer.Config{}, r.load.workers, time.Duration(float64(r.window)/2*w.rng.Float64()))
	}
	w.run(max(time.Duration(r.load.windows)*r.window, 30*second))
	served := arrivals.Allowed()
	return figures{
		refused: 1000 * float64(len(arrivals)-len(served)) / float64(len(served)),
		used:    arrivals.Used(s.limiter),
		busiest: float64(served.Busiest(r.window/10)) / max(1, float64(r.quota)/10),
		jain:    arrivals.Jain(func(a ratelimittest.Arrival) string { return a.Client }),
	}
}
