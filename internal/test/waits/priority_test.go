package waits

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
)

type priorityOf struct{}

// Waiters of a higher priority go first, except at every eighth turn.
func TestPrioritiesInTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var order []int
		base := kit.BaseFunc(func(req *http.Request) (*http.Response, error) {
			order = append(order, req.Context().Value(priorityOf{}).(int))
			return kit.Respond(req, http.StatusOK, "RateLimit", `"second";r=0;t=1`, "RateLimit-Policy", `"second";q=1;w=1`), nil
		})
		transport := kit.Seeded(t, &headway.Transport{Base: base})
		var clients sync.WaitGroup
		send := func(priority int) {
			clients.Go(func() {
				ctx := context.WithValue(headway.WithPriority(t.Context(), priority), priorityOf{}, priority)
				require.NoError(t, kit.Fetch(ctx, transport, kit.URL))
			})
			time.Sleep(time.Millisecond)
		}
		send(0)
		for range 4 {
			for _, priority := range []int{-1, 0, 1} {
				send(priority)
			}
		}
		clients.Wait()
		require.Equal(t, []int{0, 1, 1, 1, 1, 0, 0, 0, -1, 0, -1, -1, -1}, order)
	})
}
