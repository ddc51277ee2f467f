package refusals

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
)

// A client that cannot wait for a month takes second looks, ever more rarely. It goes on once the server reports another
// limit.
func TestSecondLooks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		refused := kit.Status(429, "RateLimit", `"a";r=0;t=2678400`, "RateLimit-Policy", `"a";q=1000;w=2678400`)
		transport := kit.Seeded(t, &headway.Transport{Base: kit.InTurn(refused, refused, refused, open()), MaxRetries: -1})
		kit.Prime(t, transport)
		went := asks(t, transport, 3*time.Hour)
		require.Greater(t, len(went), 50)
		for i, want := range []time.Duration{time.Minute, 3 * time.Minute, 7 * time.Minute} {
			require.InDelta(t, want, went[i], float64(3*time.Second))
		}
		require.Less(t, went[3], 12*time.Minute)
	})
}

// A second look is one request, even if many wait. Requests with enough time go on waiting.
func TestSecondLookOfAWaitingCrowd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answers := kit.InTurn(closed(), closed(), open())
		transport := kit.Seeded(t, &headway.Transport{Base: answers})
		kit.Prime(t, transport)
		start := time.Now()
		ctx := kit.Within(t, 40*time.Minute)
		var went []time.Duration
		done := make(chan error)
		for range 10 {
			go func() {
				err := kit.Fetch(ctx, transport, kit.URL)
				done <- err
			}()
		}
		for range 10 {
			if <-done == nil {
				went = append(went, time.Since(start))
			}
		}
		require.NotEmpty(t, went)
		require.InDelta(t, time.Minute, went[0], float64(time.Second))
		for _, next := range went[1:] {
			require.GreaterOrEqual(t, next, 3*time.Minute)
		}
	})
}

// There is no second look during a Retry-After, nor for a reset within an hour.
func TestNoSecondLook(t *testing.T) {
	for _, row := range []struct {
		name    string
		maxWait time.Duration
		told    func(*http.Request) *http.Response
		until   time.Duration
	}{
		{"Retry-After and a reset", 0, kit.Status(429, "Retry-After", "86400", "RateLimit", `"a";r=0;t=2678400`, "RateLimit-Policy", `"a";q=1000;w=2678400`), 24 * time.Hour},
		{"an hourly reset", 0, kit.Status(200, "RateLimit", `"a";r=0;t=3600`, "RateLimit-Policy", `"a";q=1000;w=3600`), time.Hour},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				answers := kit.InTurn(row.told, kit.Status(200))
				transport := kit.Seeded(t, &headway.Transport{Base: answers, MaxWait: row.maxWait, MaxRetries: -1})
				kit.Prime(t, transport)
				went := asks(t, transport, row.until+30*time.Minute)
				require.NotEmpty(t, went)
				require.GreaterOrEqual(t, went[0], row.until)
				require.LessOrEqual(t, went[0], row.until+10*time.Minute)
			})
		})
	}
}

const month = 31 * 24 * time.Hour

// closed reports no remaining quota for a month.
func closed() func(*http.Request) *http.Response {
	return kit.Status(http.StatusOK, "RateLimit", `"a";r=0;t=2678400`, "RateLimit-Policy", `"a";q=1000;w=2678400`)
}

// open reports plenty of remaining quota.
func open() func(*http.Request) *http.Response {
	return kit.Status(http.StatusOK, "RateLimit", `"a";r=900;t=60`, "RateLimit-Policy", `"a";q=1000;w=60`)
}

// requireRefused checks that a request is refused because it would have to wait for at least that long.
func requireRefused(t *testing.T, transport http.RoundTripper, wait time.Duration) {
	t.Helper()
	start := time.Now()
	_, err := kit.Get(t.Context(), transport, kit.URL)
	refused, ok := errors.AsType[*headway.LimitError](err)
	require.True(t, ok, "%v", err)
	require.GreaterOrEqual(t, refused.Wait, wait)
	require.Zero(t, time.Since(start))
}

// asks sends a request a minute for that long, each with 90 seconds' time, and returns when those went that did.
func asks(t *testing.T, transport http.RoundTripper, d time.Duration) (went []time.Duration) {
	t.Helper()
	for start := time.Now(); time.Since(start) < d; time.Sleep(time.Minute) {
		ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
		if resp, err := kit.Get(ctx, transport, kit.URL); err == nil {
			went = append(went, time.Since(start))
			require.NoError(t, resp.Body.Close())
		}
		cancel()
	}
	return went
}
