package observing

import (
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
)

func TestState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		transport := &headway.Transport{Base: kit.BaseFunc(func(req *http.Request) (*http.Response, error) {
			switch req.URL.Host {
			case "limited.example.com":
				return kit.Respond(req, 200, "RateLimit", `"minute";r=0;t=60;pk=:a2V5:`, "RateLimit-Policy", `"minute";q=10;w=60;pk=:a2V5:`), nil
			case "counting.example.com":
				return kit.Respond(req, 200, "RateLimit", `"count";r=5`), nil
			case "held.example.com":
				return kit.Respond(req, 429, "Retry-After", "30"), nil
			default:
				<-release
				return kit.Respond(req, 200), nil
			}
		}), MaxRetries: -1}
		require.Empty(t, transport.State())

		start := time.Now()
		var clients sync.WaitGroup
		send := func(url string) {
			clients.Go(func() {
				_ = kit.Fetch(t.Context(), transport, url)
			})
			synctest.Wait()
		}
		send("https://limited.example.com/")
		send("https://limited.example.com/")
		send("https://limited.example.com/")
		send("https://held.example.com/")
		send("https://busy.example.com/")
		send("https://counting.example.com/")

		states := transport.State()
		require.Len(t, states, 4)
		busy, counting, held, limited := states[0], states[1], states[2], states[3]

		require.InDelta(t, 1, busy.Sending, 0.01, "one request in less than a second")
		busy.Sending = 0
		require.Equal(t, headway.PartitionState{Partition: "https://busy.example.com", InFlight: 1, Places: 1}, busy)

		require.Len(t, counting.Limits, 1)
		require.EqualValues(t, 5, counting.Limits[0].Remaining)
		require.Equal(t, time.Minute, counting.Limits[0].Window, "nobody told a time, so it is a guess")
		require.Equal(t, start.Add(time.Minute), counting.Limits[0].LatestEnd)

		require.Equal(t, "https://held.example.com", held.Partition)
		require.Equal(t, 30*time.Second, held.HeldUntil.Sub(start))
		require.Zero(t, held.Waiting)
		require.Equal(t, start, held.LastThrottled)
		require.Zero(t, held.Thousand, "no pace is known")
		require.Zero(t, held.WaitingSince)
		require.Zero(t, held.Next)

		require.Equal(t, "https://limited.example.com", limited.Partition)
		require.Equal(t, 2, limited.Waiting)
		require.Equal(t, start, limited.WaitingSince)
		require.Equal(t, -1, limited.Places)
		require.Positive(t, limited.Pace)
		require.Zero(t, limited.LastThrottled)
		require.Zero(t, limited.InFlight)
		require.Equal(t, headway.CauseQuota, limited.Cause)
		require.Equal(t, "minute", limited.Policy)
		require.GreaterOrEqual(t, limited.Next.Sub(start), time.Minute, "the rest of the window")
		require.LessOrEqual(t, limited.Next.Sub(start), 2*time.Minute)
		require.InDelta(t, 6, limited.Last.Sub(limited.Next).Seconds(), 1, "ten a minute")
		require.InDelta(t, 100, limited.Thousand.Minutes(), 2)
		require.Zero(t, limited.HeldUntil)
		require.Len(t, limited.Limits, 1)
		limit := limited.Limits[0]
		require.Equal(t, "minute", limit.Policy)
		require.Equal(t, "a2V5", limit.PartitionKey)
		require.EqualValues(t, 10, limit.Quota)
		require.Zero(t, limit.Remaining)
		require.Equal(t, time.Minute, limit.Window)
		require.Equal(t, start, limit.ReportedAt)
		require.InDelta(t, 60, limit.LatestEnd.Sub(start).Seconds(), 1)

		close(release)
		clients.Wait()
	})
}
