//go:build !race

package headway

import (
	"fmt"
	"log/slog"
	"net/http"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRoundTripAllocations(t *testing.T) {
	plain := http.Header{"Content-Type": {"application/json"}, "Date": {"Mon, 05 Jan 2026 00:00:00 GMT"}}
	for _, test := range []struct {
		name   string
		answer http.Header
		key    []byte // for snapshots
		fleet  bool
		want   int
	}{
		{"no rate-limit field", plain, nil, false, 0},
		{"snapshots", plain, testSecret(), false, 0},
		{"draft-10", abundant(), nil, false, 1}, // the limits of the reading
		{"draft-10, with a fleet", abundant(), nil, true, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			transport := benchmarkTransport(newConstBase(test.answer))
			transport.SnapshotKey = test.key
			transport.Logger = slog.New(slog.DiscardHandler) // that costs nothing either
			req := with(t, testURL, "Authorization", "Bearer 0123456789abcdef", "Accept", "application/json")
			if test.fleet {
				joinHandFleet(t, transport, req)
			}
			got := testing.AllocsPerRun(1000, func() {
				if _, err := transport.RoundTrip(req); err != nil {
					t.Fatal(err)
				}
			})
			require.Equal(t, test.want, int(got))
		})
	}
}

// bytesPerPartition is what 100,000 partitions may take to stay within 64 MiB.
const bytesPerPartition = 64 << 20 / 100_000

func TestMemoryOfIdlePartitions(t *testing.T) {
	if perPartition := idlePartitions(t, 100_000); perPartition > bytesPerPartition {
		t.Errorf("%d bytes for each partition, more than %d", perPartition, bytesPerPartition)
	} else {
		t.Logf("%d bytes for each partition", perPartition)
	}
}

// idlePartitions makes n partitions with one limit each, one for each user of
// the same server, and returns the bytes that each of them takes.
func idlePartitions(t *testing.T, n int) uint64 {
	t.Helper()
	transport := &Transport{Base: baseFunc(func(req *http.Request) (*http.Response, error) {
		return respond(req, 200, "RateLimit", `"default";r=50;t=30`, "RateLimit-Policy", `"default";q=100;w=60`), nil
	})}
	before := heapBytes()
	for i := range n {
		req := with(t, testURL, "Authorization", fmt.Sprintf("Bearer %d", i))
		resp, err := transport.RoundTrip(req)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
	}
	after := heapBytes()
	require.Len(t, transport.State(), n)
	return (after - before) / uint64(n)
}

func heapBytes() uint64 {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapAlloc
}
