package snapshots

import (
	"bytes"
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
)

// warmed is the Transport of a program that runs again after another one, which
// made the snapshot. What it knows is mixed into its chance.
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

// tryFor sends a request that must not wait longer.
func tryFor(t *testing.T, transport *headway.Transport, wait time.Duration, url string) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), wait)
	defer cancel()
	resp, err := kit.Get(ctx, transport, url)
	if err == nil {
		require.NoError(t, resp.Body.Close())
	}
	return err
}

// known is how many partitions a Transport knows of, also those restored that were not used
// yet: a snapshot has a line for each, besides those that it has anyway.
func known(t *testing.T, transport *headway.Transport) int {
	t.Helper()
	lines := func(transport *headway.Transport) int { return bytes.Count(takeSnapshot(t, transport), []byte("\n")) }
	return lines(transport) - lines(warmed(t, nil, nil))
}
