package proxy

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

// The proxy's own pages show what happens behind it. They do not show credentials, and are not paced.
func TestOwnPages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		base, allowed := limited(&ratelimittest.FixedWindow{Policy: ratelimittest.Per(1, time.Hour)})
		s, _ := inMemory(t, base, Upstream{To: api, Name: "example"})
		require.Equal(t, 200, get(t.Context(), s, "/", "Authorization: Bearer hunter2").StatusCode)
		require.Equal(t, 429, get(t.Context(), s, "/", "Authorization: Bearer hunter2", maxWaitField+": 1s").StatusCode)
		for _, page := range []struct{ path, accept, want string }{
			{debugPath, "text/html", "api.example.com"},
			{debugPath + "?format=json", "*/*", `"partition":"https://api.example.com#`},
			{metricsPath, "", `headway_requests_sent_total{partition="https://api.example.com",transport="example"} 1`},
			{metricsPath, "", `headway_requests_refused_total{partition="https://api.example.com",policy="default",reason="max_wait",transport="example"} 1`},
			{metricsPath, "", "go_goroutines "},
			{healthPath, "", "ok\n"},
		} {
			resp := get(t.Context(), s, page.path, "Accept: "+page.accept)
			require.Equal(t, http.StatusOK, resp.StatusCode, page.path)
			text := textOf(t, resp)
			require.Contains(t, text, page.want)
			require.NotContains(t, text, "hunter2")
		}
		require.Len(t, allowed.queries(), 1, "no page is asked of the upstream")
		require.Equal(t, 429, get(t.Context(), s, "/-/other", "Authorization: Bearer hunter2", maxWaitField+": 1s").StatusCode)
	})
}
