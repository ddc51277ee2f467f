package ratelimittest_test

import (
	"bufio"
	"context"
	"io"
	"math"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

// away returns a Transport with 2 s of latency: one second to h, one back.
func away(h http.HandlerFunc) *ratelimittest.Transport {
	return &ratelimittest.Transport{Handler: h, Latency: 2 * time.Second}
}

func open(t *testing.T, tr *ratelimittest.Transport, ctx context.Context) *http.Response { //nolint:revive // t comes first in a test
	t.Helper()
	resp, err := tr.RoundTrip(newRequest(t, "GET", "http://api.test/", nil).WithContext(ctx))
	require.NoError(t, err)
	return resp
}

func TestTransportStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		at := func() time.Duration { return time.Since(begun) }
		var returned time.Duration
		resp := open(t, away(func(w http.ResponseWriter, _ *http.Request) {
			flush(w)
			for range 3 {
				time.Sleep(10 * time.Second)
				_, _ = io.WriteString(w, "event\n")
			}
			time.Sleep(10 * time.Second)
			returned = at()
		}), t.Context())
		require.Equal(t, 2*time.Second, at())
		events := bufio.NewScanner(resp.Body)
		for i := 1; events.Scan(); i++ {
			require.Equal(t, "event", events.Text())
			require.Equal(t, time.Duration(10*i+2)*time.Second, at())
		}
		require.NoError(t, events.Err())
		require.Equal(t, 42*time.Second, at())
		require.NoError(t, resp.Body.Close())
		require.Equal(t, 41*time.Second, returned)
	})
}

// A short response without Flush arrives when its handler returns, as over HTTP.
func TestTransportBuffersShortResponses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		resp := open(t, away(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, "one, ")
			time.Sleep(time.Minute)
			_, _ = io.WriteString(w, "two")
		}), t.Context())
		require.Equal(t, 62*time.Second, time.Since(begun))
		require.EqualValues(t, 8, resp.ContentLength)
		require.NoError(t, resp.Body.Close())
	})
}

// At the end of a bubble's clock, in 2262, a response in transit still arrives.
func TestTransportAtTheEndOfTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(math.MaxInt64)
		answer, err := roundTrip(t, away(hello), newRequest(t, "GET", "http://api.test/", nil))
		require.NoError(t, err)
		require.Equal(t, "hello world", answer.body)
	})
}

// A handler never waits for its client to read, and the client can read everything later.
func TestTransportNeverBlocksAHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		done := false
		resp := open(t, away(func(w http.ResponseWriter, _ *http.Request) {
			piece := []byte(strings.Repeat("x", 1000))
			for range 1000 {
				_, _ = w.Write(piece)
			}
			clear(piece) // the handler may reuse its buffer
			done = true
		}), t.Context())
		synctest.Wait()
		require.True(t, done)
		time.Sleep(time.Hour)
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		require.Equal(t, strings.Repeat("x", 1_000_000), string(body))
		require.NoError(t, resp.Body.Close())
	})
}

// Many clients stream at once, and most leave early.
func TestTransportStreamsToMany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := away(func(w http.ResponseWriter, r *http.Request) {
			for range 10 {
				time.Sleep(time.Second)
				if _, err := io.WriteString(w, "tick"); err != nil {
					return
				}
				flush(w)
			}
		})
		var clients sync.WaitGroup
		for i := range 50 {
			clients.Go(func() {
				resp, err := tr.RoundTrip(newRequest(t, "GET", "http://api.test/", nil))
				if err != nil {
					t.Error(err)
					return
				}
				want := int64(4 * (i%10 + 1))
				n, err := io.CopyN(io.Discard, resp.Body, want)
				if err != nil || n != want {
					t.Error(n, err)
				}
				if err := resp.Body.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		clients.Wait()
	})
}
