package headway

import (
	"math"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/validate"
)

func TestZeroTransportWorks(t *testing.T) {
	_, url := dial(t, func(http.ResponseWriter, *http.Request) {})
	zero := &Transport{}
	require.Same(t, http.DefaultTransport, zero.Unwrap())
	resp, err := get(t.Context(), zero, url)
	require.NoError(t, err)
	require.Empty(t, readAll(t, resp))
	zero.CloseIdleConnections()
}

func TestDefaults(t *testing.T) {
	for _, test := range []struct {
		name        string
		transport   *Transport
		wantWait    time.Duration
		wantRetries int
	}{
		{"zero", &Transport{}, 65 * time.Minute, 3},
		{"set", &Transport{MaxWait: time.Second, MaxRetries: 7}, time.Second, 7},
		{"negative", &Transport{MaxWait: -5, MaxRetries: -5}, -5, -5},
	} {
		t.Run(test.name, func(t *testing.T) {
			require.Equal(t, test.wantWait, test.transport.maxWait())
			require.Equal(t, test.wantRetries, test.transport.maxRetries())
		})
	}
	require.InDelta(t, 0.1, DefaultBurst, 0)
	require.InDelta(t, 0.1, DefaultJitter, 0)
}

func TestMaxRateForThePacer(t *testing.T) {
	for _, test := range []struct {
		name       string
		told, want float64
	}{
		{"default", 0, validate.DefaultMaxRate},
		{"not a number", math.NaN(), validate.DefaultMaxRate},
		{"set", 5, 5},
		{"negative", -1, -1}, // no bound
		{"infinite", math.Inf(1), -1},
	} {
		t.Run(test.name, func(t *testing.T) {
			transport := &Transport{Base: inTurn(status(200)), Bounds: validate.Bounds{MaxRate: test.told}}
			prime(t, transport)
			require.InDelta(t, test.want, transport.partitions.config.MaxRate, 0)
		})
	}
}

// closer is a Base with connections to close.
type closer struct {
	http.RoundTripper
	closed bool
}

func (c *closer) CloseIdleConnections() { c.closed = true }

func TestUnwrapAndCloseIdleConnections(t *testing.T) {
	base := &closer{}
	transport := &Transport{Base: base}
	require.Same(t, base, transport.Unwrap())
	(&http.Client{Transport: transport}).CloseIdleConnections()
	require.True(t, base.closed)

	(&Transport{Base: inTurn()}).CloseIdleConnections() // has none
}

// The first request on an unknown server does not wait, nor do those after its
// answer, if that tells no limit.
func TestServerWithoutLimitsIsNotSlowed(t *testing.T) {
	const roundTrip = 100 * time.Millisecond
	base := baseFunc(func(req *http.Request) (*http.Response, error) {
		time.Sleep(roundTrip)
		return respond(req, http.StatusOK), nil
	})
	t.Run("one after another", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			transport, start := &Transport{Base: base}, time.Now()
			for range 100 {
				prime(t, transport)
			}
			require.Equal(t, 100*roundTrip, time.Since(start))
		})
	})
	t.Run("200 at once", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			transport, start := &Transport{Base: base}, time.Now()
			var clients sync.WaitGroup
			for range 200 {
				clients.Go(func() { prime(t, transport) })
			}
			clients.Wait()
			require.Equal(t, 6*roundTrip, time.Since(start), "1, then 3, then three times as many each time")
		})
	})
}
