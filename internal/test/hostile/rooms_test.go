package hostile

import (
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
)

// One domain holds all its hosts for a month, as many as a Transport keeps partitions. No other origin is delayed by
// that, and no partition is forgotten that is held or in use.
func TestHoldsOfOneDomainStopNoOther(t *testing.T) {
	const most = 100
	synctest.Test(t, func(t *testing.T) {
		over := make(chan struct{})
		transport := &headway.Transport{
			MaxPartitions: most,
			MaxRetries:    -1,
			Partition:     func(req *http.Request) string { return req.URL.Path },
			Base: kit.BaseFunc(func(req *http.Request) (*http.Response, error) {
				switch req.URL.Path[1] {
				case 'h':
					return kit.Respond(req, 429, "Retry-After", "2764800"), nil
				case 's':
					<-over
				}
				return kit.Respond(req, 200), nil
			}),
			Trace: &headway.Trace{Evicted: func(info headway.EvictedInfo) { t.Error(info) }},
		}
		slow := make(chan error, 1)
		go func() { slow <- ask(t, transport, "/slow") }()
		synctest.Wait()
		for i := range most - 1 {
			require.NoError(t, ask(t, transport, fmt.Sprint("/host", i)))
		}
		start := time.Now()
		for i := range most {
			require.NoError(t, ask(t, transport, fmt.Sprint("/new", i)))
		}
		require.Zero(t, time.Since(start), "new ones go at once")
		for i := range most - 1 {
			require.ErrorIs(t, ask(t, transport, fmt.Sprint("/host", i)), headway.ErrMaxWait)
		}
		close(over)
		require.NoError(t, <-slow)
		require.Len(t, transport.State(), most)
	})
}

// Beyond MaxPartitions the least recently used partition is forgotten. A negative one is no bound.
func TestMaxPartitions(t *testing.T) {
	for most, want := range map[int]int{0: headway.DefaultMaxPartitions, 7: 7, -1: headway.DefaultMaxPartitions + 10} {
		if kit.Raced && most <= 0 {
			continue // it is about numbers, and takes many times as long
		}
		t.Run(fmt.Sprint(most), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var evicted []headway.EvictedInfo
				transport := &headway.Transport{
					MaxPartitions: most,
					Partition:     func(req *http.Request) string { return req.URL.Path },
					Base:          kit.BaseFunc(func(req *http.Request) (*http.Response, error) { return kit.Respond(req, 200), nil }),
					Trace:         &headway.Trace{Evicted: func(info headway.EvictedInfo) { evicted = append(evicted, info) }},
				}
				const all = headway.DefaultMaxPartitions + 10
				for i := range all {
					require.NoError(t, ask(t, transport, fmt.Sprint("/", i)))
				}
				require.Len(t, transport.State(), want)
				require.Len(t, evicted, all-want)
				for i, info := range evicted {
					require.Equal(t, headway.EvictedInfo{Partition: fmt.Sprint("/", i), Full: true}, info)
				}
			})
		})
	}
}

// ask makes a request for that path.
func ask(t *testing.T, transport *headway.Transport, path string) error {
	t.Helper()
	return kit.Fetch(t.Context(), transport, kit.Origin+path)
}
