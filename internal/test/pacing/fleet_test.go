package pacing

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/ratelimittest"
)

// TestFleet measures, in virtual time, how independent clients share one quota: with different numbers of clients,
// with clients that join or leave, and beside greedy clients. A greedy client sends until it is refused, and again
// after the Retry-After. As in TestPacing, there is a table, and -seed repeats the figures. Without -wide there
// are two clients only.
func TestFleet(t *testing.T) {
	var table strings.Builder
	for _, row := range fleetRows() {
		isWide := len(row.members) > 2
		if row.long && !*pacingLong || isWide && !*pacingWide && !*pacingLong {
			continue
		}
		t.Run(row.title(), func(t *testing.T) {
			f := row.measure(t)
			_, _ = fmt.Fprintf(&table, "%-60s %v\n", row.title(), f)
			require.LessOrEqual(t, f.refused, row.bounds.refused, "refused per 1000 served")
			require.GreaterOrEqual(t, f.used, row.bounds.used, "part of the quota that was used")
			require.GreaterOrEqual(t, f.jain, row.bounds.jain, "fairness")
			require.GreaterOrEqual(t, f.share, row.bounds.share, "part of their nominal share")
		})
	}
	t.Logf("\n%s", table.String())
}

// fleetRows returns the rows and their bounds.
func fleetRows() []fleetRow {
	var (
		minute  = quotaRate{60, time.Minute}
		fast    = quotaRate{600, time.Minute}
		windows = []pacingAlgorithm{aligned, opened}
		steady  = []pacingAlgorithm{linear, bucket}
		joined  = slices.Concat(members(4, 0, 10), members(4, 5, 10))
		left    = slices.Concat(members(4, 0, 10), members(4, 0, 5))
	)
	var rows []fleetRow
	add := func(row fleetRow, algorithms ...pacingAlgorithm) {
		for _, row.algorithm = range algorithms {
			rows = append(rows, row)
		}
	}
	some := fleetFigures{refused: 25, used: 0.9, jain: 0.8} // the aims are 20 and 0.95, which most runs meet
	add(fleetRow{name: "2 clients", rate: minute, members: members(2, 0, 10), to: 10, bounds: some}, windows...)
	add(fleetRow{name: "8 clients", rate: minute, members: members(8, 0, 10), to: 10, bounds: some}, windows...)
	some.refused, some.jain = 60, 0.8 // the aims are 20 and 0.95, which first windows exceed when all clients begin at once: usually 40 to 49, once 51
	add(fleetRow{name: "8 clients", rate: minute, members: members(8, 0, 10), to: 10, bounds: some}, steady...)
	many := fleetFigures{refused: 300, used: 0.9, jain: 0.7} // two units each; the aims are 35 and 0.95
	add(fleetRow{name: "32 clients", rate: minute, members: members(32, 0, 10), to: 10, bounds: many}, windows...)
	many.refused = 75
	add(fleetRow{name: "32 clients", rate: fast, members: members(32, 0, 10), to: 10, bounds: many, long: true}, slices.Concat(windows, steady)...)

	// Figures are of the second window after clients have joined or left, and of the third after clients have left.
	soon := fleetFigures{refused: 100, used: 0.55, jain: 0.7} // usually 0.85 to 0.95
	add(fleetRow{name: "4 joined by 4", rate: minute, members: joined, from: 6, to: 7, bounds: soon}, windows...)
	add(fleetRow{name: "4 left by 4", rate: minute, members: left, from: 6, to: 8, bounds: soon}, slices.Concat(windows, steady)...)
	add(fleetRow{name: "4 joined by 4", rate: fast, members: joined, from: 6, to: 7, bounds: soon, long: true}, aligned, linear)

	// Clients adapt to greedy ones. A greedy client uses up 60 per minute in 3 s.
	stood := fleetFigures{refused: 700, jain: 0.15, share: 0.25} // usually 80, 0.5, 0.7; of 100 runs four exceed 250, and none 520
	one := append(members(7, 0, 20), member{to: 20, workers: 1})
	four := append(members(7, 0, 20), member{to: 20, workers: 4})
	// At a slower rate it leaves nothing for clients that pace themselves.
	stood.share = 0.25 // the aim is 0.5, which most runs meet
	add(fleetRow{name: "7 beside a greedy one", rate: fast, members: one, from: 5, to: 20, bounds: stood, long: true}, windows...)
	add(fleetRow{name: "7 beside a greedy one of 4 workers", rate: fast, members: four, from: 5, to: 20, bounds: stood, long: true}, windows...)
	// The greedy client takes each unit as soon as it comes back.
	stood.share = 0.1 // the aim is 0.5
	add(fleetRow{name: "7 beside a greedy one", rate: fast, members: one, from: 5, to: 20, bounds: stood, long: true}, steady...)
	return rows
}

// A fleetRow is a server and the clients that share its quota.
type fleetRow struct {
	name      string
	algorithm pacingAlgorithm
	rate      quotaRate
	members   []member
	from, to  float64 // the measured time, in windows
	bounds    fleetFigures
	long      bool
}

// A member sends as much as it may from one window until another.
type member struct {
	from, to float64
	workers  int // of a greedy client; 0: the member uses a Transport
}

func members(n int, from, to float64) []member {
	return slices.Repeat([]member{{from: from, to: to}}, n)
}

func (r *fleetRow) title() string {
	return strings.Join([]string{r.name, r.algorithm.name, r.rate.String()}, ", ")
}

// fleetFigures are the figures of the members with a Transport.
type fleetFigures struct {
	refused float64 // per 1000 served
	used    float64 // part of the quota that all members used
	jain    float64
	share   float64 // their served requests, divided by their even share of the quota
}

func (f fleetFigures) String() string {
	return fmt.Sprintf("refused %5.1f ‰, used %.2f, Jain %.2f, share %.2f", f.refused, f.used, f.jain, f.share)
}

// measure returns the mean over several runs, which begin at different times in a window. Rows of one window have
// more runs, as their figures vary more.
func (r *fleetRow) measure(t *testing.T) fleetFigures {
	t.Helper()
	runs := 3
	if r.to-r.from <= 1 {
		runs = 12
	}
	part := 1 / float64(runs)
	var mean fleetFigures
	for run := range runs {
		synctest.Test(t, func(t *testing.T) {
			time.Sleep(time.Until(kit.Epoch().Add(r.windows(float64(run) * part))))
			f := r.run(t, kit.Chance(t, r.title(), run))
			mean.refused += f.refused * part
			mean.used += f.used * part
			mean.jain += f.jain * part
			mean.share += f.share * part
		})
	}
	return mean
}

func (r *fleetRow) windows(n float64) time.Duration {
	return time.Duration(math.Round(n * float64(r.rate.window)))
}

func (r *fleetRow) run(t *testing.T, rng *rand.Rand) fleetFigures {
	t.Helper()
	begun := time.Now()
	handler := &ratelimittest.Handler{
		Limiter:    r.algorithm.limiter(ratelimittest.Policy{Quota: r.rate.quota, Window: r.rate.window}, begun),
		Dialect:    draft10.write,
		RetryAfter: draft10.retryAfter,
		Client:     func(*http.Request) string { return "" }, // all share one quota
	}
	var clients sync.WaitGroup
	for i, m := range r.members {
		base := &ratelimittest.Transport{Handler: handler, Latency: 50 * time.Millisecond, RemoteAddr: strconv.Itoa(i)}
		client, workers := &http.Client{Transport: kit.SeededBy(rng, &headway.Transport{Base: base})}, 16
		if m.workers > 0 {
			client.Transport, workers = greedy{base}, m.workers
		}
		enough := int(r.to+2) * int(r.rate.quota)
		clients.Go(func() {
			time.Sleep(r.windows(m.from))
			ctx, cancel := context.WithTimeout(t.Context(), r.windows(min(m.to, r.to)-m.from))
			defer cancel()
			ratelimittest.Batch{Requests: enough, Workers: workers}.Send(client, newPacingRequest(t, ctx))
		})
	}
	clients.Wait()
	return r.figures(handler.Arrivals().Between(begun.Add(r.windows(r.from)), begun.Add(r.windows(r.to))))
}

func (r *fleetRow) figures(all ratelimittest.Arrivals) fleetFigures {
	byAddr := func(x ratelimittest.Arrival) string { return x.RemoteAddr }
	meek := slices.DeleteFunc(slices.Clone(all), func(x ratelimittest.Arrival) bool {
		i, _ := strconv.Atoi(x.RemoteAddr) // the index of the member
		return r.members[i].workers > 0
	})
	n := 0
	for _, m := range r.members {
		if m.workers == 0 {
			n++
		}
	}
	quota := float64(r.rate.quota) * (r.to - r.from)
	served := float64(len(meek.Allowed()))
	return fleetFigures{
		refused: 1000 * float64(len(meek.Refused())) / served,
		used:    float64(len(all.Allowed())) / quota,
		jain:    meek.Jain(byAddr),
		share:   served / (quota * float64(n) / float64(len(r.members))),
	}
}

// greedy sends refused requests again after Retry-After, and does not pace.
type greedy struct{ base http.RoundTripper }

func (g greedy) RoundTrip(req *http.Request) (*http.Response, error) {
	for {
		resp, err := g.base.RoundTrip(req)
		if err != nil || resp.StatusCode != http.StatusTooManyRequests {
			return resp, err
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
		seconds, _ := strconv.Atoi(resp.Header.Get("Retry-After"))
		select {
		case <-time.After(time.Duration(seconds) * time.Second):
		case <-req.Context().Done():
			return nil, req.Context().Err()
		}
	}
}
