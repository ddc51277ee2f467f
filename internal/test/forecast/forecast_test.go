// Package forecast compares Transport.Forecast with what happens.
package forecast

import (
	"flag"
	"fmt"
	"math"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/time/rate"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/internal/test/page"
	"github.com/headway-go/headway/ratelimittest"
)

var write = flag.Bool("write", false, "write docs/figures/forecast.md")

// A row is a server, and the requests that use it.
type row struct {
	server  string
	limiter func() ratelimittest.Limiter
	fields  string
	dialect ratelimittest.Dialect
	used    int // requests before the forecast
	n       int // requests of the forecast
	others  int // other clients, which always have more to send
}

func rows() (all []row) {
	p := ratelimittest.Per(60, time.Minute)
	servers := []struct {
		name string
		new  func() ratelimittest.Limiter
	}{
		{"fixed window", func() ratelimittest.Limiter { return &ratelimittest.FixedWindow{Policy: p} }},
		{"aligned window", func() ratelimittest.Limiter { return &ratelimittest.FixedWindow{Policy: p, Aligned: true} }},
		{"sliding log", func() ratelimittest.Limiter { return &ratelimittest.SlidingLog{Policy: p} }},
		{"sliding counter", func() ratelimittest.Limiter { return &ratelimittest.SlidingCounter{Policy: p} }},
		{"token bucket", func() ratelimittest.Limiter { return &ratelimittest.TokenBucket{Policy: p} }},
		{"linear", func() ratelimittest.Limiter { return &ratelimittest.Linear{Policy: p} }},
	}
	for _, s := range servers {
		for _, others := range []int{0, 3} {
			for _, n := range []int{10, 100, 1000} {
				all = append(all, row{s.name, s.new, "draft-10", ratelimittest.Draft10, 300, n, others})
				all = append(all, row{s.name, s.new, "X-RateLimit", ratelimittest.XRateLimit, 300, n, others})
			}
		}
	}
	return all
}

// run returns how long the last of the requests took, by the forecast and in fact.
func (r *row) run(t *testing.T) (f headway.Forecast, took time.Duration) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(17300 * time.Millisecond)
		h := &ratelimittest.Handler{Limiter: r.limiter(), Dialect: r.dialect, Client: func(*http.Request) string { return "" }}
		base := &ratelimittest.Transport{Handler: h, Latency: 50 * time.Millisecond}
		var crowd sync.WaitGroup
		stop := make(chan struct{})
		for i := range r.others {
			other := kit.Seeded(t, &headway.Transport{Base: base, MaxWait: -1}) // else an error at once, again and again
			for range 4 {
				crowd.Go(func() {
					time.Sleep(time.Duration(i) * time.Second)
					for {
						select {
						case <-stop:
							return
						default:
							_ = kit.Fetch(t.Context(), other, kit.URL)
						}
					}
				})
			}
		}
		transport := kit.Seeded(t, &headway.Transport{Base: base, MaxWait: -1, MaxRetries: 50})
		send := func(n int) {
			var all sync.WaitGroup
			for range n {
				all.Go(func() { _ = kit.Fetch(t.Context(), transport, kit.URL) })
			}
			all.Wait()
		}
		send(r.used)
		f = transport.Forecast(kit.NewRequest(t, kit.URL), r.n)
		begun := time.Now()
		send(r.n)
		took = time.Since(begun) - base.Latency
		close(stop)
		crowd.Wait()
	})
	return f, took
}

// Forecasts are as often too early as too late, by a few percent alone and by some more beside others. None is earlier than
// the server can allow.
func TestForecast(t *testing.T) {
	table := [][]string{{"server", "fields", "others", "requests", "forecast", "in fact", "off by", "certainty"}}
	misses := map[int][]float64{}
	for _, r := range rows() {
		f, took := r.run(t)
		want := f.Last.Sub(f.At)
		miss := (want - took).Seconds() / took.Seconds()
		misses[r.others] = append(misses[r.others], math.Abs(miss))
		require.GreaterOrEqual(t, want, time.Duration(r.n-60)*time.Second, "earlier than the server can allow")
		require.Zero(t, f.First.Sub(f.At)/time.Minute, "the first one")
		table = append(table, page.Row(r.server, r.fields, r.others, r.n, want.Round(time.Second), took.Round(time.Second), fmt.Sprintf("%+.0f %%", 100*miss), f.Certainty))
	}
	median := func(of []float64) float64 {
		slices.Sort(of)
		return of[len(of)/2]
	}
	require.LessOrEqual(t, median(misses[0]), 0.05, "alone")
	require.LessOrEqual(t, median(misses[3]), 0.2, "beside others, where it is 0.07 to 0.15")
	require.LessOrEqual(t, median(slices.Concat(misses[0], misses[3])), 0.1)
	text := fmt.Sprintf(layout, 100*median(misses[0]), 100*median(misses[3]), page.Table(table))
	t.Logf("\n%s", text)
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

A client has sent 300 requests to a server that allows 60 per minute. Then Transport.Forecast says when the last of 10, 100 or
1000 more requests could go, and they are sent. The client is alone, or beside three others that always have more to send.
Time is virtual. Off by: negative is too early. In the median a forecast is off by %.0f %% alone, and by %.0f %% beside others. This
page is written, and checked, by

` + "```sh\nmeasure/run forecast   # half a minute\n```" + `

%s
`
