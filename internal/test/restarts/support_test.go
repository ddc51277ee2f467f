package restarts

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
)

// warmed returns the Transport of a new run of the program, with the snapshot of the last run. The snapshot is
// part of its seed.
func warmed(t *testing.T, base http.RoundTripper, snapshot []byte) *headway.Transport {
	t.Helper()
	rng := kit.Chance(t, t.Name()+string(snapshot), min(len(snapshot), 1))
	transport := kit.SeededBy(rng, &headway.Transport{Base: base, SnapshotKey: kit.Secret()})
	if snapshot != nil {
		require.NoError(t, transport.Restore(snapshot))
	}
	return transport
}

func takeSnapshot(t *testing.T, transport *headway.Transport) []byte {
	t.Helper()
	snapshot, err := transport.Snapshot()
	require.NoError(t, err)
	return snapshot
}

// tryFor sends a request whose wait is bounded.
func tryFor(t *testing.T, transport *headway.Transport, wait time.Duration, url string) error {
	t.Helper()
	ctx := kit.Within(t, wait)
	resp, err := kit.Get(ctx, transport, url)
	if err == nil {
		require.NoError(t, resp.Body.Close())
	}
	return err
}
