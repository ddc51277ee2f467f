package hostile

import (
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
)

// Numbers that set no pace allow no more requests in flight than no report at all.
func TestNumbersWithoutAPaceMakeNoFlood(t *testing.T) {
	for _, header := range []http.Header{
		kit.Fields("RateLimit", `"a";r=0`), kit.Fields("RateLimit", `"a";r=0;t=0`), kit.Fields("RateLimit", `"a";r=5`),
		kit.Fields("X-RateLimit-Remaining", "0"), kit.Fields("X-RateLimit-Limit", "5", "X-RateLimit-Remaining", "0"),
		kit.Fields("X-RateLimit-Limit", "5"), kit.Fields("X-RateLimit-Reset", "60"), kit.Fields("RateLimit-Policy", `"a";q=5`),
		kit.Fields("X-RateLimit-Limit", minus, "X-RateLimit-Remaining", minus, "X-RateLimit-Reset", minus),
	} {
		kit.Bubble(t, fmt.Sprint(header), func(t *testing.T) {
			server := kit.Always(200, header)
			transport := kit.Seeded(t, &headway.Transport{Base: server})
			first(t, transport, 200, header)
			started := time.Now()
			require.NoError(t, errors.Join(kit.Crowd(t.Context(), transport, 100)...))
			require.LessOrEqual(t, server.Arrived(started, 1), 3)
		})
	}
}
