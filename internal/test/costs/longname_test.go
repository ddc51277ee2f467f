package costs

import (
	"encoding/base64"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/parse"
)

// Long names that a server sends and those that the caller passes are the same ones.
func TestLongNames(t *testing.T) {
	unit, user := parse.Unit(strings.Repeat("u", 100)), strings.Repeat("k", 80)
	pk := base64.StdEncoding.EncodeToString([]byte(user))
	synctest.Test(t, func(t *testing.T) {
		policy := `"p";q=1000;w=60;qu="` + string(unit) + `";pk=:` + pk + ":"
		transport := kit.Seeded(t, &headway.Transport{
			Base: kit.InTurn(
				kit.Status(http.StatusOK, "RateLimit-Policy", policy, "RateLimit", `"p";r=900;t=60;pk=:`+pk+":"),
				kit.Status(http.StatusOK, "RateLimit-Policy", policy)),
			PartitionKey: func(*http.Request) []byte { return []byte(user) },
		})
		kit.Prime(t, transport)
		time.Sleep(time.Millisecond)
		ctx := headway.WithReport(headway.WithCost(t.Context(), unit, 40))
		resp, err := kit.Get(ctx, transport, kit.URL)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		all := transport.State()[0].Limits
		require.Len(t, all, 1, "the key is that of the caller")
		require.Equal(t, limits.ShortName(pk), all[0].PartitionKey)
		require.EqualValues(t, 860, remaining(t, transport, limits.ShortName(unit)))
		require.True(t, headway.Report(ctx, headway.Reported{Costs: map[parse.Unit]int64{unit: 10}}))
		require.EqualValues(t, 890, remaining(t, transport, limits.ShortName(unit)))
	})
}
