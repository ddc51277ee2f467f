//go:build !race

package termheadway_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/termheadway"
)

// A request that does not wait costs one allocation, which is the Transport's for any hooks.
func TestAllocations(t *testing.T) {
	req := kit.NewRequest(t, kit.URL)
	resp := kit.Respond(req, http.StatusOK, "RateLimit-Policy", `"default";q=1000000000000;w=60`, "RateLimit", `"default";r=999999999999;t=60`)
	transport := &headway.Transport{Base: kit.BaseFunc(func(*http.Request) (*http.Response, error) { return resp, nil })}
	transport.Bounds.MaxRate = -1
	line := termheadway.Show(newTerminal(t, 80), transport)
	require.NotNil(t, transport.Trace)
	require.Equal(t, 1, int(testing.AllocsPerRun(1000, func() { _, _ = transport.RoundTrip(req) })))
	require.NoError(t, line.Close())
}
