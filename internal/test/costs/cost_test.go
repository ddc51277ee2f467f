package costs

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/limits"
)

// A request with a cost of 0 does not wait for the limit.
func TestFreeRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := kit.InTurn(kit.UsedUp())
		transport := kit.Seeded(t, &headway.Transport{Base: base})
		kit.Prime(t, transport)
		begun := time.Now()
		require.NoError(t, kit.Fetch(headway.WithCost(t.Context(), limits.Requests, 0), transport, kit.URL))
		require.Zero(t, time.Since(begun))
	})
}

// A request with a cost of 20 takes the time of twenty requests.
func TestCostlyRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := kit.Seeded(t, &headway.Transport{
			Base:  kit.InTurn(kit.Status(http.StatusOK, "RateLimit", `"minute";r=59;t=60`, "RateLimit-Policy", `"minute";q=60;w=60`)),
			Burst: -1, Jitter: -1,
		})
		ctx := headway.WithCost(t.Context(), limits.Requests, 20)
		for range 2 {
			require.NoError(t, kit.Fetch(ctx, transport, kit.URL))
		}
		begun := time.Now()
		kit.Prime(t, transport)
		require.InDelta(t, 20, time.Since(begun).Seconds(), 1)
	})
}

// The bytes of a response's body count once it has been read or closed, until the server reports
// the remaining quota.
func TestResponseBytesCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base := kit.BaseFunc(func(req *http.Request) (*http.Response, error) {
			resp := kit.Respond(req, http.StatusOK,
				"RateLimit", `"bytes";r=50000;t=60`, "RateLimit-Policy", `"bytes";q=60000;w=60;qu="content-bytes"`)
			resp.Body = io.NopCloser(strings.NewReader(strings.Repeat("x", 10_000)))
			return resp, nil
		})
		transport := kit.Seeded(t, &headway.Transport{Base: base})
		remaining := func() int64 { return transport.State()[0].Limits[0].Remaining }

		resp, err := kit.Get(t.Context(), transport, kit.URL)
		require.NoError(t, err)
		require.Equal(t, limits.ContentBytes, transport.State()[0].Limits[0].Unit)
		_, err = io.CopyN(io.Discard, resp.Body, 4000)
		require.NoError(t, err)
		require.EqualValues(t, 50_000, remaining(), "it has not ended yet")
		require.NoError(t, resp.Body.Close())
		require.EqualValues(t, 46_000, remaining(), "as far as it was read")
		require.NoError(t, resp.Body.Close())
		require.EqualValues(t, 46_000, remaining(), "once")

		resp, err = kit.Get(t.Context(), transport, kit.URL)
		require.NoError(t, err)
		require.EqualValues(t, 50_000, remaining(), "as told")
		_, err = io.Copy(io.Discard, resp.Body)
		require.NoError(t, err)
		require.EqualValues(t, 40_000, remaining())
	})
}
