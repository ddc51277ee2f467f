// Package forecast compares Transport.Forecast with what happens.
package forecast

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/time/rate"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/internal/test/page"
	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/ratelimittest"
)

var write = flag.Bool("write", false, "write docs/figures/forecast.md")

// used is how many requests a client has sent before the forecast.
const used = 300

// A row is a server, and the requests that use it.
type row struct {
	server  string
	policy  ratelimittest.Policy  // that decides; zero: 60 requests per minute
	limiter ratelimittest.Limiter // nil: a fixed window
	fields  string
	others  int // other clients, which always have more to send
	n       int // requests of the forecast

	cost    func(i int) int64 // units of the ith request; nil: 1
	told    bool              // the client knows the cost of each
	hold    time.Duration     // a request was refused up to a second ago, with this Retry-After
	workers int               // make the requests; 0: all are made at once
}

func rows() (all []row) {
	minute := ratelimittest.Per(60, time.Minute)
	add := func(r row, others []int, requests ...int) {
		r.policy.Quota, r.policy.Window = cmp.Or(r.policy.Quota, minute.Quota), cmp.Or(r.policy.Window, minute.Window)
		if r.limiter == nil {
			r.limiter = &ratelimittest.FixedWindow{Policy: r.policy}
		}
		fields := []string{"draft-10", "X-RateLimit"}
		if r.fields != "" {
			fields = []string{r.fields}
		}
		for _, r.others = range others {
			for _, r.n = range requests {
				for _, r.fields = range fields {
					all = append(all, r)
				}
			}
		}
	}
	alone, beside := []int{0}, []int{0, 3}
	add(row{server: "fixed window"}, []int{0, 1, 3, 9}, 10, 100, 1000)
	add(row{server: "aligned window", limiter: &ratelimittest.FixedWindow{Policy: minute, Aligned: true}}, beside, 10, 100, 1000)
	add(row{server: "sliding log", limiter: &ratelimittest.SlidingLog{Policy: minute}}, beside, 10, 100, 1000)
	add(row{server: "sliding counter", limiter: &ratelimittest.SlidingCounter{Policy: minute}}, beside, 10, 100, 1000)
	add(row{server: "token bucket", limiter: &ratelimittest.TokenBucket{Policy: minute}}, beside, 10, 100, 1000)
	add(row{server: "linear", limiter: &ratelimittest.Linear{Policy: minute}}, beside, 10, 100, 1000)
	add(row{server: "an hour", policy: ratelimittest.Per(1000, time.Hour)}, beside, 100, 3000)
	add(row{server: "a day", policy: ratelimittest.Per(2000, 24*time.Hour)}, beside, 100, 6000)

	hour := ratelimittest.Policy{Name: "hour", Quota: 600, Window: time.Hour}
	both := ratelimittest.All(&ratelimittest.FixedWindow{Policy: minute}, &ratelimittest.FixedWindow{Policy: hour})
	add(row{server: "a minute and an hour", fields: "draft-10", policy: hour, limiter: both}, alone, 100, 1000)
	tokens := ratelimittest.Policy{Quota: 60_000, Unit: "tokens"}
	add(row{server: "1,000 tokens each", fields: "draft-10", policy: tokens, cost: func(int) int64 { return 1000 }, told: true}, alone, 100, 1000)
	add(row{server: "500 to 1,500 tokens", fields: "draft-10", policy: tokens, cost: func(i int) int64 { return 500 + int64(i*367)%1001 }}, alone, 100, 1000)
	add(row{server: "Retry-After: 120", hold: 2 * time.Minute}, alone, 10, 100)
	add(row{server: "32 workers", workers: 32}, beside, 100, 1000)
	return all
}

// soonest is when the server can allow the last request, if all of its quota is there at first.
func (r *row) soonest() time.Duration {
	units := r.n
	if r.cost != nil {
		units = 0
		for i := range r.n {
			units += int(r.cost(used + i))
		}
	}
	return max(r.hold-time.Second, 0) + time.Duration(units-int(r.policy.Quota))*r.policy.Window/time.Duration(r.policy.Quota)
}

// serve returns the server. It refuses one request with Retry-After once refuses is set.
func (r *row) serve(refuses *atomic.Bool) http.Handler {
	dialect := map[string]ratelimittest.Dialect{"draft-10": ratelimittest.Draft10, "X-RateLimit": ratelimittest.XRateLimit}
	h := &ratelimittest.Handler{
		Limiter: r.limiter.(interface{ Fresh() ratelimittest.Limiter }).Fresh(), Dialect: dialect[r.fields],
		Client: func(*http.Request) string { return "" },
	}
	var arrived atomic.Int64
	if r.cost != nil {
		h.Cost = func(*http.Request) int64 { return r.cost(int(arrived.Add(1) - 1)) }
	}
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if refuses.CompareAndSwap(true, false) {
			w.Header().Set("Retry-After", strconv.Itoa(int(r.hold.Seconds())))
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		h.ServeHTTP(w, req)
	})
}

// run returns how long the last of the requests took, by the forecast and in fact.
func (r *row) run(t *testing.T) (f headway.Forecast, took time.Duration) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(17300 * time.Millisecond)
		var refuses atomic.Bool
		base := &ratelimittest.Transport{Handler: r.serve(&refuses), Latency: 50 * time.Millisecond}
		ctx, stop := context.WithCancel(t.Context())
		through := func(transport *headway.Transport) func(context.Context) (int, error) {
			kit.Seeded(t, transport)
			return func(ctx context.Context) (int, error) { return http.StatusOK, kit.Fetch(ctx, transport, kit.URL) }
		}
		var beside sync.WaitGroup
		for i := range r.others {
			call := through(&headway.Transport{Base: base, MaxWait: -1})
			beside.Go(func() {
				time.Sleep(time.Duration(i) * time.Second)
				ratelimittest.Batch{For: math.MaxInt64, Workers: 4}.Do(ctx, call)
			})
		}
		transport := &headway.Transport{Base: base, MaxWait: -1, MaxRetries: 50}
		if r.told {
			transport.Cost = func(_ *http.Request, u limits.Unit) int64 {
				return map[limits.Unit]int64{limits.Requests: 1, "tokens": r.cost(0)}[u]
			}
		}
		call := through(transport)
		ratelimittest.Batch{Requests: used, Workers: used}.Do(ctx, call)
		if r.hold > 0 {
			refuses.Store(true)
			beside.Go(func() { _, _ = call(ctx) })
			for refuses.Load() {
				time.Sleep(time.Second)
			}
			time.Sleep(base.Latency) // of the refusal
		}
		f = transport.Forecast(kit.NewRequest(t, kit.URL), r.n)
		begun := time.Now()
		ratelimittest.Batch{Requests: r.n, Workers: cmp.Or(r.workers, r.n)}.Do(ctx, call)
		took = time.Since(begun) - base.Latency
		stop()
		beside.Wait()
	})
	return f, took
}

// Forecasts are as often too early as too late, by a few percent alone and by some more beside others. None is earlier than
// the server can allow.
func TestForecast(t *testing.T) {
	table := [][]string{{"server", "fields", "others", "requests", "forecast", "in fact", "off by", "certainty"}}
	var alone, beside []float64
	for _, r := range rows() {
		if kit.IsBrief() && r.n > 10 {
			continue
		}
		f, took := r.run(t)
		want := f.Last.Sub(f.At)
		miss := (want - took).Seconds() / took.Seconds()
		of := &alone
		if r.others > 0 {
			of = &beside
		}
		*of = append(*of, math.Abs(miss))
		require.GreaterOrEqual(t, want, r.soonest(), "earlier than the server can allow: %s", r.server)
		table = append(table, page.Row(r.server, r.fields, r.others, r.n, want.Round(time.Second), took.Round(time.Second), fmt.Sprintf("%+.0f %%", 100*miss), f.Certainty))
	}
	median := func(of []float64) float64 {
		slices.Sort(of)
		return of[len(of)/2]
	}
	text := fmt.Sprintf(layout, 100*median(alone), 100*median(beside), page.Table(table))
	t.Logf("\n%s", text)
	if kit.IsBrief() {
		return
	}
	require.LessOrEqual(t, median(alone), 0.05)
	require.LessOrEqual(t, median(beside), 0.2, "where it is 0.07 to 0.15")
	require.LessOrEqual(t, median(slices.Concat(alone, beside)), 0.1)
	if *write {
		folder, err := page.Figures()
		require.NoError(t, err)
		require.NoError(t, folder.Write("forecast.md", text))
	}
}

// More requests than any server will ever allow have no end, also behind others.
func TestForecastOfTooMany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limited := kit.Fields("RateLimit-Policy", `"a";q=60;w=60`, "RateLimit", `"a";r=50;t=30`)
		for _, transport := range []*headway.Transport{
			{Base: kit.Always(http.StatusOK, limited)},
			{Base: kit.Always(http.StatusOK, nil), Ceiling: rate.NewLimiter(1, 1)},
		} {
			require.NoError(t, kit.Fetch(t.Context(), transport, kit.URL))
			for range 20 {
				go func() { _ = kit.Fetch(t.Context(), transport, kit.URL) }()
			}
			synctest.Wait()
			f := transport.Forecast(kit.NewRequest(t, kit.URL), math.MaxInt)
			require.True(t, f.Last.IsZero(), f)
			require.False(t, f.First.IsZero())
			time.Sleep(time.Hour)
		}
	})
}

// A forecast about requests of another partition makes a full Transport forget none.
func TestForecastForgetsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answer := kit.Always(http.StatusOK, kit.Fields("RateLimit-Policy", `"a";q=60;w=60`, "RateLimit", `"a";r=9;t=30`))
		transport := &headway.Transport{Base: answer, MaxPartitions: 1}
		require.NoError(t, kit.Fetch(t.Context(), transport, kit.URL))
		transport.Forecast(kit.NewRequest(t, "https://another.example"), 1)
		require.Len(t, transport.State(), 1)
		require.NotEqual(t, headway.CertaintyUnknown, transport.Forecast(kit.NewRequest(t, kit.URL), 100).Certainty)
	})
}

const layout = `# Forecasts and what happened

A client has sent 300 requests to a server. Then Transport.Forecast says when the last of n more requests could go, and they are
sent. The client is alone, or beside others that always have more to send. In the median a forecast is off by %.0f %% alone, and by
%.0f %% beside others. None is earlier than the server can allow. Beside others a share goes up and down, and a forecast takes it as
it is.

Time is virtual. Off by: negative is too early. This page is written, and checked, by

` + "```sh\nmeasure/run forecast   # half a minute\n```" + `

%s

The server allows 60 requests per minute, and the rows say what else it does:

- an hour, a day: 1,000 per hour, or 2,000 per day.
- a minute and an hour: 60 per minute and 600 per hour.
- tokens: 60,000 per minute. The client has told that each request costs 1,000; or it has told nothing, and they cost 500 to 1,500.
- Retry-After: 120: a request was refused up to a second before the forecast.
- 32 workers: the requests are not made at once, but by 32 workers.
`
