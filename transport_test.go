package headway_test

import (
	"math"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/validate"
)

func TestZeroTransportWorks(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer server.Close()
	zero := &headway.Transport{}
	require.Same(t, http.DefaultTransport, zero.Unwrap())
	resp, err := kit.Get(t.Context(), zero, server.URL)
	require.NoError(t, err)
	require.Empty(t, kit.ReadAll(t, resp))
	zero.CloseIdleConnections()
}

// The documented defaults of zero fields hold. The default of MaxRetries is tested in internal/test/refusals.
func TestDefaults(t *testing.T) {
	for _, test := range []struct {
		name       string
		maxWait    time.Duration
		retryAfter string // sets the hold
		held       time.Duration
	}{
		{"zero", 0, "3840", 64 * time.Minute},
		{"zero, longer", 0, "3960", 0},
		{"set", time.Hour, "3540", 59 * time.Minute},
		{"set, longer", time.Hour, "3660", 0},
		{"negative", -5, "86400", 24 * time.Hour},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				transport := &headway.Transport{
					Base:    kit.InTurn(kit.Status(http.StatusTooManyRequests, "Retry-After", test.retryAfter), kit.Status(http.StatusOK)),
					MaxWait: test.maxWait, MaxRetries: -1,
				}
				kit.Prime(t, transport)
				start := time.Now()
				resp, err := kit.Get(t.Context(), transport, kit.URL)
				if test.held == 0 {
					require.ErrorIs(t, err, headway.ErrMaxWait)
					require.Zero(t, time.Since(start))
					return
				}
				require.NoError(t, err)
				require.NoError(t, resp.Body.Close())
				kit.RequireHeld(t, test.held, time.Since(start))
			})
		})
	}
}

// A server that advertises a higher rate than Bounds.MaxRate is paced at Bounds.MaxRate.
func TestMaxRate(t *testing.T) {
	const told = 1e9 // per second
	for _, test := range []struct {
		name           string
		maxRate, limit float64
	}{
		{"default", 0, validate.DefaultMaxRate},
		{"set", 5, 5},
		{"negative", -1, told}, // not bounded
		{"infinite", math.Inf(1), told},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				transport := &headway.Transport{
					Base:   kit.InTurn(kit.Status(http.StatusOK, "RateLimit", `"a";r=1000000000;t=1`, "RateLimit-Policy", `"a";q=1000000000;w=1`)),
					Bounds: validate.Bounds{MaxRate: test.maxRate},
				}
				kit.Prime(t, transport)
				require.InEpsilon(t, test.limit, transport.State()[0].Limits[0].Rate, 0.2)
			})
		})
	}
}

// A closer is a Base that has a method CloseIdleConnections.
type closer struct {
	http.RoundTripper
	closed bool
}

func (c *closer) CloseIdleConnections() { c.closed = true }

func TestUnwrapAndCloseIdleConnections(t *testing.T) {
	base := &closer{}
	transport := &headway.Transport{Base: base}
	require.Same(t, base, transport.Unwrap())
	(&http.Client{Transport: transport}).CloseIdleConnections()
	require.True(t, base.closed)

	(&headway.Transport{Base: kit.InTurn()}).CloseIdleConnections() // this Base has no such method
}

// The first request to a new server does not wait. Nor do requests after its response, if that reports no limit.
// internal/test/pacing tests 200 requests at once.
func TestServerWithoutLimitsIsNotSlowed(t *testing.T) {
	const roundTrip = 100 * time.Millisecond
	base := kit.BaseFunc(func(req *http.Request) (*http.Response, error) {
		time.Sleep(roundTrip)
		return kit.Respond(req, http.StatusOK), nil
	})
	synctest.Test(t, func(t *testing.T) {
		transport, start := &headway.Transport{Base: base}, time.Now()
		for range 100 {
			kit.Prime(t, transport)
		}
		require.Equal(t, 100*roundTrip, time.Since(start))
	})
}
