package ratelimittest_test

import (
	"io"
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
		h := &ratelimittest.Handler{Limiter: &ratelimittest.FixedWindow{Policy: ratelimittest.Per(5, time.Minute)}}
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
		require.Equal(t, []int{2, 2, 2, 1}, h.Arrivals().Slices(begun.Add(500*time.Millisecond), time.Second))
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
