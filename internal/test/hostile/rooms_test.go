package hostile

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
)

// mostPartitions is the documented bound of a Transport's partitions.
const mostPartitions = 10_000

// One domain holds all its hosts for a month, as many as a Transport keeps partitions. No other origin is delayed by
// that. The longest idle partition is forgotten, and none that is in use.
func TestHoldsOfOneDomainStopNoOther(t *testing.T) {
	if kit.Raced {
		t.Skip("it is about numbers, and takes many times as long")
	}
	synctest.Test(t, func(t *testing.T) {
		over := make(chan struct{})
		var evicted []headway.EvictedInfo
		transport := &headway.Transport{
			MaxRetries: -1,
			Partition:  func(req *http.Request) string { return req.URL.Path },
			Base: kit.BaseFunc(func(req *http.Request) (*http.Response, error) {
				switch req.URL.Path[1] {
				case 'h':
					return kit.Respond(req, 429, "Retry-After", "2764800"), nil
				case 's':
					<-over
				}
				return kit.Respond(req, 200), nil
			}),
			Trace: &headway.Trace{Evicted: func(info headway.EvictedInfo) { evicted = append(evicted, info) }},
		}
		slow := make(chan error, 1)
		go func() { slow <- ask(t, transport, "/slow") }()
		synctest.Wait()
		for i := range mostPartitions - 1 {
			require.NoError(t, ask(t, transport, fmt.Sprint("/host", i)))
			time.Sleep(time.Nanosecond)
		}
		require.Empty(t, evicted)

		start := time.Now()
		for i := range 100 {
			require.NoError(t, ask(t, transport, fmt.Sprint("/new", i)))
		}
		require.Zero(t, time.Since(start), "new ones go at once")
		want := headway.EvictedInfo{Partition: "/host0", Idle: mostPartitions - 1, Full: true}
		require.Equal(t, want, evicted[0], "those after it are of new ones, which nothing holds")
		require.ErrorIs(t, ask(t, transport, fmt.Sprint("/host", mostPartitions/2)), headway.ErrMaxWait, "what is left is held as ever")
		require.False(t, slices.ContainsFunc(evicted, func(e headway.EvictedInfo) bool { return e.Partition == "/slow" }))
		close(over)
		require.NoError(t, <-slow)
		require.Len(t, transport.State(), mostPartitions)
	})
}

// ask makes a request for that path.
func ask(t *testing.T, transport *headway.Transport, path string) error {
	t.Helper()
	resp, err := kit.Get(t.Context(), transport, kit.Origin+path)
	if err == nil {
		_ = resp.Body.Close()
	}
	return err
}
