package pacing

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/figures"
	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/ratelimittest"
	"github.com/headway-go/headway/validate"
)

// A row is a server, the load on it, and the bounds of the figures.
type row struct {
	load    load
	server  server
	dialect dialect
	rate    quotaRate
	bounds  figures.Figures
	figures figures.Figures // means of all runs

	isWide    bool // it runs with -wide, unless it is one of the narrow ones
	isLengthy bool // neither with -short nor under the race detector
}

func (r *row) title() string {
	return strings.Join([]string{r.load.name, r.server.name, r.rate.String(), r.dialect.name}, ", ")
}

// times returns how many runs a row takes: several if its figures vary.
func (r *row) times() int {
	if r.load.runs > 0 {
		return r.load.runs
	}
	runs := 1
	for column, atLeast := range map[string]int{figures.Later: 3, figures.Finished: 4, figures.Used: 4, figures.Jain: 10} {
		if _, bounded := r.bounds[column]; bounded {
			runs = max(runs, atLeast)
		}
	}
	if r.dialect.name == bare429.name { // what the client learns varies, too
		runs = max(runs, 16)
	}
	return runs
}

// measure fills in the means over so many runs. Each run decides when in a window the client begins, and when the requests
// of light use come. Where the load says how many runs there are, they begin at equal distances.
func (r *row) measure(t *testing.T, runs int) {
	t.Helper()
	// A client that begins in the first half of an aligned window can use the rest of the quota at twice the nominal
	// rate. A later client cannot, while its ideal can: it takes 1.22 of the optimum at worst.
	latest := 1.0
	if _, bounded := r.bounds[figures.Finished]; bounded && r.server.name == aligned.name {
		latest = 0.5
	}
	r.figures = figures.Figures{}
	for run := range runs {
		rng := kit.Chance(t, r.title(), run)
		phase := latest * (float64(run) + rng.Float64()) / float64(runs)
		if r.load.runs > 0 {
			phase = float64(run) / float64(runs)
		}
		start := kit.Epoch().Add(time.Duration(phase * float64(r.rate.window)))
		r.figures.Add(r.run(t, start, rng), 1/float64(runs))
	}
}

// run returns the figures of one run.
func (r *row) run(t *testing.T, start time.Time, rng *rand.Rand) figures.Figures {
	t.Helper()
	s := r.scenario(start, rng)
	played := ratelimittest.Run(t, s)
	if r.load.burst {
		return r.waits(played)
	}
	f, all := figures.Of(played, s, r.rate.policy()), played.Arrivals
	if r.server.end != nil {
		f[figures.Used] = r.used(all)
	}
	if r.load.settled > 0 {
		later := all.Between(start.Add(r.windows(r.load.settled)), start.Add(r.windows(r.load.lasts)))
		f[figures.Later] = float64(later.Busiest(r.rate.window/10)) / (float64(r.rate.quota) / 10)
	}
	if r.load.members != nil {
		r.amongOthers(f, all.Between(start.Add(r.windows(r.load.from)), start.Add(r.windows(r.load.lasts))))
	}
	if r.server.optimum != nil {
		f.Finish(played.Took, r.server.optimum(len(played.Outcomes[0]), s.Latency))
	}
	if r.load.shutOut {
		requireRarer(t, all)
		f.Finish(played.Took, s.Load.(ratelimittest.Batch).Optimum(r.server.limiter(r.rate.policy(), start), start, s.Latency)+
			r.spend(r.server.limiter(r.rate.policy(), start), start))
	}
	return f
}

// scenario returns a run's server and clients. Each client has a Transport with only Base set, but for the Pacing of a
// few loads, and the Profile of a server that refuses with another status than 429.
func (r *row) scenario(start time.Time, rng *rand.Rand) ratelimittest.Scenario {
	s := ratelimittest.Scenario{
		Limiter: r.server.limiter(r.rate.policy(), start), Dialect: r.dialect.write, RetryAfter: r.dialect.retryAfter,
		Clients: r.load.clients, Load: r.load.work(r.rate, rng), Latency: r.load.latency,
		Start: start,
	}
	if b, isBatch := s.Load.(ratelimittest.Batch); !isBatch || b.For == 0 { // else the load ends by itself
		s.Duration = r.windows(r.load.lasts)
	}
	r.server.change(&s, rng)
	if r.load.shutOut {
		used := s.Limiter
		s.Limiter = ratelimittest.LimiterFunc(used.Take)
		r.spend(used, start)
	}
	var profiles []validate.Profile
	if r.server.profile {
		profiles = []validate.Profile{{Host: "api.test", Statuses: []int{r.server.refusesWith}}}
	}
	clients := 0
	s.NewClient = func(base http.RoundTripper) *http.Client {
		var transport http.RoundTripper = kit.SeededBy(rng, &headway.Transport{Base: base, Pacing: r.load.pacing, Profiles: profiles})
		if r.load.members != nil {
			transport = r.load.members[clients].over(base, transport, func(windows float64) time.Time { return start.Add(r.windows(windows)) })
			clients++
		}
		return &http.Client{Transport: transport}
	}
	return s
}

// spend uses up more than the quota, as another client at the same address. It returns when that is forgotten.
func (r *row) spend(l ratelimittest.Limiter, at time.Time) time.Duration {
	var last ratelimittest.Decision
	for range r.rate.quota + 5 {
		last = l.Take(at, "", 1)
	}
	return last.RetryAfter
}

// requireRarer requires that a client that is shut out at first asks ever more rarely until it is let in. A wait is up to
// a second longer than the pause that the client has chosen, so that the next one may be shorter once pauses are a minute.
func requireRarer(t *testing.T, arrivals ratelimittest.Arrivals) {
	t.Helper()
	first := slices.IndexFunc(arrivals, func(a ratelimittest.Arrival) bool { return a.Allowed })
	var gap time.Duration
	for i := 1; i <= first; i++ {
		last := gap
		gap = arrivals[i].Time.Sub(arrivals[i-1].Time)
		require.GreaterOrEqual(t, gap, last-time.Second, "before ask %d, at %v", i, arrivals[i].Time)
	}
}

func (r *row) windows(n float64) time.Duration { return time.Duration(n * float64(r.rate.window)) }

// used returns the used part of the quota in the windows that were under load from beginning to end.
func (r *row) used(all ratelimittest.Arrivals) float64 {
	var counts []float64 // of each window
	var end time.Time    // of the last window
	for _, x := range all.Allowed() {
		if !x.Time.Before(end) {
			end = r.server.end(x.Time, r.rate.window)
			counts = append(counts, 0)
		}
		counts[len(counts)-1]++
	}
	var sum, windows float64
	for i := 1; i < len(counts)-1; i++ {
		sum += counts[i]
		windows++
	}
	return sum / (windows * float64(r.rate.quota))
}

// waits returns the figures of bursts. The waits of the first one do not count, as the limit is not known then.
func (r *row) waits(played ratelimittest.Figures) figures.Figures {
	var added []float64
	for _, o := range played.Outcomes[0][r.rate.quota/2:] {
		added = append(added, (o.End.Sub(o.Start) - r.load.latency).Seconds())
	}
	slices.Sort(added)
	return figures.Figures{
		figures.Refused: played.RefusedPerMille(), figures.Failed: 1000 * float64(played.Made-played.Served) / float64(played.Made),
		figures.Median: added[len(added)/2], figures.P99: added[len(added)*99/100],
	}
}

// amongOthers changes the figures of a fleet to those of a part of the time, and of the members that are not greedy.
func (r *row) amongOthers(f figures.Figures, all ratelimittest.Arrivals) {
	n := len(r.load.members)
	others := all
	if r.load.members[n-1].greedy > 0 {
		n--
		last := fmt.Sprintf("198.51.100.%d:", n)
		others = slices.DeleteFunc(slices.Clone(all), func(x ratelimittest.Arrival) bool { return strings.HasPrefix(x.RemoteAddr, last) })
	}
	quota, served := float64(r.rate.quota)*(r.load.lasts-r.load.from), float64(len(others.Allowed()))
	f[figures.Refused] = 1000 * float64(len(others.Refused())) / served
	f[figures.Used] = float64(len(all.Allowed())) / quota
	f[figures.Jain] = others.Jain(func(x ratelimittest.Arrival) string { return x.RemoteAddr })
	f[figures.Share] = served / (quota * float64(n) / float64(len(r.load.members)))
}
