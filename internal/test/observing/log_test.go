package observing

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
)

// heldThenRefused makes a request that sets a hold, one that waits, and one
// that may not wait.
func heldThenRefused(t *testing.T, transport *headway.Transport) {
	t.Helper()
	transport.Base = kit.InTurn(kit.Status(429, "Retry-After", "10", "X-RateLimit-Remaining", "nonsense"), kit.Status(200))
	req := kit.NewRequest(t, "https://me:hunter2@api.example.com/private?token=hunter2", "Authorization", "Bearer hunter2", "X-Api-Key", "hunter2")
	resp, err := transport.RoundTrip(req)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	ctx := kit.Within(t, time.Second)
	resp, err = transport.RoundTrip(req.WithContext(ctx))
	if transport.Shadow {
		require.NoError(t, err)
	} else {
		require.ErrorIs(t, err, context.DeadlineExceeded)
	}
	if err == nil {
		require.NoError(t, resp.Body.Close())
	}
	resp, err = transport.RoundTrip(req)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
}

func TestLogger(t *testing.T) {
	const (
		held        = "server refused a request: nothing is sent until the hold ends"
		wouldBeHeld = "server refused a request: nothing would be sent until the hold ends"
	)
	for _, test := range []struct {
		name   string
		level  slog.Level
		shadow bool
		want   []string
	}{
		{"info", slog.LevelInfo, false, []string{
			"header field is ignored or clamped", held, "request is not sent",
			"requests wait for more than a second",
		}},
		{"debug", slog.LevelDebug, false, []string{
			"request is sent", "header field is ignored or clamped", "server asks to wait", "request was throttled", held,
			"request is not sent", "request waits", "requests wait for more than a second",
			"request is sent",
		}},
		{"shadow, info", slog.LevelInfo, true, []string{
			"header field is ignored or clamped", wouldBeHeld, "request would not be sent",
			"requests would wait for more than a second",
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				logger, out := kit.NewLogger(test.level)
				heldThenRefused(t, &headway.Transport{Logger: logger, MaxRetries: -1, Shadow: test.shadow})
				time.Sleep(2 * time.Minute)
				synctest.Wait()
				require.Equal(t, test.want, kit.Messages(out))
				require.NotContains(t, out.String(), "hunter2")
				require.NotContains(t, out.String(), "nonsense")
				require.NotContains(t, out.String(), "private")
			})
		})
	}
}

// A handler may use the Transport: it is called without a lock held.
func TestLoggerMayUseTheTransport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := &headway.Transport{MaxRetries: -1}
		var records atomic.Int64
		transport.Logger = slog.New(kit.HandlerFunc(func(slog.Record) {
			transport.State()
			records.Add(1)
		}))
		heldThenRefused(t, transport)
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		require.EqualValues(t, 9, records.Load())
	})
}

// What is wrong with each response is told an operator once, and of each partition; what
// caches and servers without limits do is no news.
func TestProblemsAreReportedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		logger, out := kit.NewLogger(slog.LevelInfo)
		transport := &headway.Transport{Logger: logger, Base: kit.BaseFunc(func(req *http.Request) (*http.Response, error) {
			if req.URL.Path == "/cached" {
				return kit.Respond(req, 200, "RateLimit", `"a";r=5;t=5`, "Age", "10"), nil
			}
			return kit.Respond(req, 200, "RateLimit", `"a`, "X-RateLimit-Remaining", "?"), nil
		})}
		for range 5 {
			for _, url := range []string{"https://a.example.com/", "https://b.example.com/", "https://b.example.com/cached"} {
				require.NoError(t, kit.Fetch(t.Context(), transport, url))
			}
		}
		require.Len(t, kit.Messages(out), 4, out.String())
		for _, partition := range []string{"https://a.example.com", "https://b.example.com"} {
			require.Equal(t, 2, strings.Count(out.String(), partition))
		}
	})
}

// Of many requests that are refused at once the hold is told of once.
func TestAHoldIsReportedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		logger, out := kit.NewLogger(slog.LevelInfo)
		start := time.Now()
		var n, refused atomic.Int64
		transport := &headway.Transport{Logger: logger, MaxRetries: -1, Base: kit.BaseFunc(func(req *http.Request) (*http.Response, error) {
			if n.Add(1) == 1 || time.Since(start) > 5*time.Second {
				return kit.Respond(req, 200, "RateLimit", `"a";r=1000;t=60`, "RateLimit-Policy", `"a";q=1000;w=60`), nil
			}
			time.Sleep(time.Second + time.Duration(n.Load())*time.Millisecond)
			refused.Add(1)
			return kit.Respond(req, 429, "Retry-After", "10"), nil
		})}
		kit.Prime(t, transport)
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() { kit.Prime(t, transport) })
		}
		all.Wait()
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		require.Greater(t, refused.Load(), int64(10))
		require.ElementsMatch(t, []string{
			"server refused a request: nothing is sent until the hold ends",
			"requests wait for more than a second",
		}, kit.Messages(out), out.String())
	})
}
