package ratelimittest_test

import (
	"context"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

func TestBatchSend(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := ratelimittest.NewHandler(ratelimittest.NewFixedWindow(5, time.Minute), nil)
		client := &http.Client{Transport: &ratelimittest.Transport{Handler: h, Latency: time.Second}}
		begun := time.Now()
		outcomes := ratelimittest.Batch{Requests: 7, Workers: 2}.Send(client, newRequest(t, "GET", "http://api.test/", nil))

		require.Equal(t, 4*time.Second, time.Since(begun), "7 requests of 1 s by 2 workers")
		statuses := map[int]int{}
		for _, o := range outcomes {
			require.NoError(t, o.Err)
			require.Equal(t, time.Second, o.End.Sub(o.Start))
			statuses[o.Status]++
		}
		require.Equal(t, map[int]int{http.StatusOK: 5, http.StatusTooManyRequests: 2}, statuses)
		require.Equal(t, []int{2, 2, 2, 1}, h.Log.Arrivals().Slices(begun.Add(500*time.Millisecond), time.Second))
	})
}

func TestBatchSendRepeatsTheBody(t *testing.T) {
	var mu sync.Mutex
	var bodies []string
	client := &http.Client{Transport: &ratelimittest.Transport{Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		bodies = append(bodies, string(body))
	})}}
	ratelimittest.Batch{Requests: 3, Workers: 3}.Send(client, newRequest(t, "POST", "http://api.test/", strings.NewReader("x")))
	require.Equal(t, []string{"x", "x", "x"}, bodies)

	once := newRequest(t, "POST", "http://api.test/", io.NopCloser(strings.NewReader("x")))
	outcomes := ratelimittest.Batch{Requests: 1}.Send(client, once)
	require.ErrorIs(t, outcomes[0].Err, ratelimittest.ErrNoGetBody)
	require.Empty(t, ratelimittest.Batch{}.Send(client, once))
}

func TestScheduleSend(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := ratelimittest.NewHandler(nil, nil)
		client := &http.Client{Transport: &ratelimittest.Transport{Handler: h, Latency: 10 * time.Second}}
		begun := time.Now()
		s := ratelimittest.Schedule{0, time.Second, time.Second, 3 * time.Second}
		outcomes := s.Send(client, newRequest(t, "GET", "http://api.test/", nil))

		require.Equal(t, 13*time.Second, time.Since(begun))
		for i, at := range s {
			require.Equal(t, ratelimittest.Outcome{
				Start: begun.Add(at), End: begun.Add(at + 10*time.Second), Status: http.StatusOK,
			}, outcomes[i])
		}
	})
}

func TestScheduleSendStopsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
		defer cancel()
		h := ratelimittest.NewHandler(nil, nil)
		client := &http.Client{Transport: &ratelimittest.Transport{Handler: h}}
		begun := time.Now()
		s := ratelimittest.Schedule{0, time.Second, 2 * time.Second, time.Hour}
		outcomes := s.Send(client, newRequest(t, "GET", "http://api.test/", nil).WithContext(ctx))

		require.Equal(t, 1500*time.Millisecond, time.Since(begun))
		require.Len(t, h.Log.Arrivals(), 2)
		require.NoError(t, outcomes[1].Err)
		require.ErrorIs(t, outcomes[2].Err, context.DeadlineExceeded)
		require.ErrorIs(t, outcomes[3].Err, context.DeadlineExceeded)
	})
}

func TestPoisson(t *testing.T) {
	const n = 10_000
	s := ratelimittest.Poisson(rand.New(rand.NewPCG(1, 2)), n, time.Second)
	require.Len(t, s, n)
	a := make(ratelimittest.Arrivals, n)
	for i, at := range s {
		a[i].Time = start.Add(at)
	}
	require.InDelta(t, n, s[n-1].Seconds(), 0.03*n, "one every second on average")
	require.InDelta(t, 1, a.GapCV(), 0.03, "independent of each other")
}

func TestPoissonOfNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	require.Empty(t, ratelimittest.Poisson(rng, -1, time.Second))
	require.Equal(t, ratelimittest.Schedule{0, 0, 0}, ratelimittest.Poisson(rng, 3, 0))
	require.Equal(t, ratelimittest.Schedule{0, 0, 0}, ratelimittest.Poisson(rng, 3, -time.Second))
}
