package debug_test

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/time/rate"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/debug"
	"github.com/headway-go/headway/ratelimittest"
)

// A stage is a Transport, with requests that wait.
type stage struct {
	*headway.Transport
	clients sync.WaitGroup
}

// newStage returns a stage in a synctest bubble. The partition mail is held. Two requests to reports wait for
// what remains of the quota, three to slow wait for responses, and files is free.
func newStage(t *testing.T) *stage {
	t.Helper()
	refuse := &ratelimittest.Handler{Limiter: &ratelimittest.FixedWindow{}, Dialect: ratelimittest.Silent}
	refuse.RetryAfter = func(h http.Header, _ time.Time, _ ratelimittest.Decision) { h.Set("Retry-After", "90") }
	hosts := map[string]http.Handler{
		"mail.example.com": refuse,
		"reports.example.com": &ratelimittest.Handler{Limiter: &ratelimittest.FixedWindow{
			Policy: ratelimittest.Policy{Name: "monthly", Quota: 1, Window: 20 * time.Minute},
		}, Dialect: ratelimittest.Draft10},
		"slow.example.com": http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }),
	}
	s := &stage{Transport: &headway.Transport{MaxRetries: -1, Base: &ratelimittest.Transport{
		Latency: 100 * time.Millisecond,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if h := hosts[r.Host]; h != nil {
				h.ServeHTTP(w, r)
			}
		}),
	}}}
	t.Cleanup(func() { s.clients.Wait() })
	for _, host := range []string{"mail", "files", "reports", "reports", "reports", "slow", "slow", "slow"} {
		s.clients.Go(func() {
			req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+host+".example.com/", http.NoBody)
			if err != nil {
				return
			}
			if resp, err := s.RoundTrip(req); err == nil {
				_ = resp.Body.Close()
			}
		})
		synctest.Wait()
	}
	time.Sleep(200 * time.Millisecond)
	return s
}

func TestReport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		now := time.Now()
		at := func(d time.Duration) time.Time { return now.Add(d).UTC().Round(time.Millisecond) }
		report := reportOf(t, only(s.Transport), "/?format=json")
		states := s.State()

		require.Equal(t, debug.Version, report.Version)
		require.Equal(t, at(0), report.Time)
		require.Len(t, report.Transports, 1)
		require.Len(t, report.Transports[0].Partitions, len(states))
		require.Len(t, states, 4)
		files, mail, reports, slow := report.Transports[0].Partitions[0], report.Transports[0].Partitions[1],
			report.Transports[0].Partitions[2], report.Transports[0].Partitions[3]

		require.Equal(t, debug.Partition{
			Partition: "https://files.example.com", State: debug.Free, Places: new(3),
			Sending: states[0].Sending, Limits: []debug.Limit{},
		}, files)

		require.Equal(t, debug.Held, mail.State)
		require.Equal(t, at(90*time.Second-100*time.Millisecond), mail.HeldUntil, "as the response has come 0.1 s ago")
		require.Equal(t, at(-100*time.Millisecond), mail.LastThrottled)

		require.Equal(t, debug.Waiting, reports.State)
		require.Equal(t, 2, reports.Waiting)
		require.Equal(t, headway.CauseQuota, reports.WaitingFor)
		require.Equal(t, "monthly", reports.WaitingPolicy)
		require.Nil(t, reports.Places)
		require.Equal(t, at(-200*time.Millisecond), reports.WaitingSince)
		require.Equal(t, at(states[2].Next.Sub(now)), reports.Next)
		require.True(t, reports.Next.After(now))
		require.True(t, reports.Last.After(reports.Next))
		require.InDelta(t, 1000*20*60, reports.Thousand, 3*20*60, "one in 20 minutes")
		require.True(t, reports.LastThrottled.IsZero())
		require.InEpsilon(t, states[2].Sending, reports.Sending, 1e-9)
		require.Len(t, reports.Limits, 1)
		limit := states[2].Limits[0]
		require.Equal(t, debug.Limit{
			Policy: "monthly", Unit: "requests", Quota: new(int64(1)), Remaining: new(int64(0)), Window: 1200,
			Rate: limit.Rate, Share: limit.Share, Refills: limit.Refills,
			ReportedAt: at(-100 * time.Millisecond), LatestEnd: at(limit.LatestEnd.Sub(now)),
		}, reports.Limits[0])
		require.True(t, limit.LatestEnd.After(now))

		require.Equal(t, debug.Waiting, slow.State)
		require.Equal(t, 1, slow.InFlight)
		require.Equal(t, 2, slow.Waiting)
		require.Equal(t, headway.CauseStart, slow.WaitingFor)
		require.Empty(t, slow.WaitingPolicy)
		require.Equal(t, 1, *slow.Places)
	})
}

// Requests that wait for the Ceiling are not in the queue, and their PartitionState has no cause.
func TestWaitingForTheCeiling(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := only(&headway.Transport{Base: api(), Ceiling: rate.NewLimiter(rate.Every(time.Minute), 1)})
		ctx, cancel := context.WithCancel(t.Context())
		var clients sync.WaitGroup
		for range 2 {
			clients.Go(func() {
				if req, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://api.example.com/", http.NoBody); err == nil {
					if resp, err := h.Transports[""].RoundTrip(req); err == nil {
						_ = resp.Body.Close()
					}
				}
			})
			synctest.Wait()
		}
		time.Sleep(time.Second)
		partition := reportOf(t, h, "/?format=json").Transports[0].Partitions[0]
		require.Equal(t, debug.Waiting, partition.State)
		require.Equal(t, 1, partition.Waiting)
		require.Equal(t, headway.CauseCeiling, partition.WaitingFor)
		require.Contains(t, ask(t, h, "GET", "/").Body.String(), "1 waits for the Ceiling")
		cancel()
		clients.Wait()
	})
}
