package costs

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/limits"
)

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
