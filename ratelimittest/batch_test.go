package ratelimittest_test

import (
	"context"
	"errors"
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

func TestBatchSend(t *testing.T) {
	for _, test := range []struct {
		name string
		load ratelimittest.Batch
		want int
		took time.Duration
	}{
		{"seven requests of two workers", ratelimittest.Batch{Requests: 7, Workers: 2}, 7, 8 * s},
		{"two workers", ratelimittest.Batch{For: 10*s + 1, Workers: 2}, 10, 10*s + 1},
		{"one worker", ratelimittest.Batch{For: 10*s + 1}, 5, 10*s + 1},
		{"one call is cut off", ratelimittest.Batch{For: 9 * s}, 4, 9 * s},
		{"no time", ratelimittest.Batch{Workers: 2}, 0, 0},
		{"negative", ratelimittest.Batch{For: -s, Workers: -1}, 0, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client := &http.Client{Transport: &ratelimittest.Transport{Handler: &ratelimittest.Handler{}, Latency: 2 * s}}
				begun := time.Now()
				outcomes := test.load.Send(client, newRequest(t, "GET", "http://api.test/", nil))
				require.Len(t, outcomes, test.want)
				require.Equal(t, test.took, time.Since(begun))
				for _, o := range outcomes {
					require.NoError(t, o.Err)
					require.Equal(t, http.StatusOK, o.Status)
					require.Equal(t, 2*s, o.End.Sub(o.Start))
				}
			})
		})
	}
}

func TestBatchForOfCallsThatTakeNoTime(t *testing.T) {
	for name, err := range map[string]error{"served": nil, "failed": errors.New("refused")} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begun := time.Now()
				load := ratelimittest.Batch{For: time.Second + 1, Workers: 3}
				outcomes := load.Do(t.Context(), func(context.Context) (int, error) { return 0, err })
				require.Len(t, outcomes, 3*1001)
				require.Equal(t, load.For, time.Since(begun))
			})
		})
	}
}

func TestBatchForEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		ratelimittest.Batch{For: time.Minute}.Do(ctx, func(context.Context) (int, error) { return 200, nil })
		require.Equal(t, time.Second, time.Since(begun))
	})
}
