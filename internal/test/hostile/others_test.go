package hostile

import (
	"maps"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/ratelimittest"
)

// Responses from gateways and caches do not release the requests that wait for a limit.
func TestAnswersOfOthersOpenNoFloodgate(t *testing.T) {
	for _, row := range []struct {
		name   string
		status int
		header http.Header
	}{
		{"error of a gateway", http.StatusBadGateway, http.Header{}},
		{"not found", http.StatusNotFound, http.Header{}},
		{"cached, without limits", http.StatusOK, http.Header{"Age": {"10"}}},
		{"cached, with limits", http.StatusOK, http.Header{"Age": {"10"}, "Ratelimit": {`"default";r=33;t=33`}}},
	} {
		kit.Bubble(t, row.name, func(t *testing.T) {
			server := &ratelimittest.Handler{Limiter: &ratelimittest.FixedWindow{Policy: ratelimittest.Per(60, time.Minute)}, Dialect: ratelimittest.Draft10}
			both := http.NewServeMux()
			both.Handle("/things", server)
			both.HandleFunc("/other", func(w http.ResponseWriter, _ *http.Request) {
				maps.Copy(w.Header(), row.header)
				w.WriteHeader(row.status)
			})
			client := &http.Client{Transport: kit.Seeded(t, &headway.Transport{
				Base: &ratelimittest.Transport{Handler: both, Latency: 50 * time.Millisecond},
			})}
			things := kit.NewRequest(t, kit.URL)
			other := things.Clone(t.Context())
			other.URL.Path = "/other"
			ratelimittest.Batch{Requests: 5}.Send(client, things)
			ratelimittest.Batch{Requests: 4}.Send(client, other)

			begun := time.Now()
			ratelimittest.Batch{Requests: 100, Workers: 100}.Send(client, things)
			require.Empty(t, server.Arrivals().Refused())
			require.LessOrEqual(t, server.Arrivals().Between(begun, time.Now()).Busiest(time.Second), 12)
		})
	}
}
