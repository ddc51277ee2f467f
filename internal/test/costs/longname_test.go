package costs

import (
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

// A unit with a long name is the same one for the server and for the caller.
func TestLongNames(t *testing.T) {
	unit := limits.Unit(strings.Repeat("u", 100))
	synctest.Test(t, func(t *testing.T) {
		policy := `"p";q=1000;w=60;qu="` + string(unit) + `"`
		transport := kit.Seeded(t, &headway.Transport{Base: kit.InTurn(
			kit.Status(http.StatusOK, "RateLimit-Policy", policy, "RateLimit", `"p";r=900;t=60`),
			kit.Status(http.StatusOK, "RateLimit-Policy", policy),
		)})
		kit.Prime(t, transport)
		time.Sleep(time.Millisecond)
		require.NoError(t, kit.Fetch(headway.WithCost(t.Context(), unit, 40), transport, kit.URL))
		all := transport.State()[0].Limits
		require.Len(t, all, 1)
		require.Equal(t, limits.ShortName(unit), all[0].Unit)
		require.EqualValues(t, 860, all[0].Remaining)
	})
}
