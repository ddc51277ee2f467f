package costs

import (
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
)

// telling is a Base whose responses have the cost of their request, as in draft 11.
func telling(base http.RoundTripper) http.RoundTripper {
	return kit.BaseFunc(func(req *http.Request) (*http.Response, error) {
		resp, err := base.RoundTrip(req)
		if err == nil && resp.Header.Get("RateLimit") != "" {
			resp.Header.Set("RateLimit", resp.Header.Get("RateLimit")+";c="+req.Header.Get("Test-Tokens"))
		}
		return resp, err
	})
}

func silent(base http.RoundTripper) http.RoundTripper { return base }

// After the first response the client knows what requests cost. So from the second request on each one waits until the
// last one's tokens are back. Without the cost the third goes at once, too.
func TestToldCostsPace(t *testing.T) {
	for _, row := range []struct {
		name string
		tell func(http.RoundTripper) http.RoundTripper
		gaps []float64 // in seconds
	}{
		{"told", telling, []float64{0, 1, 1, 1}},
		{"learned", silent, []float64{0, 0, 1, 1}},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				left, last, gaps := 60_000, time.Now(), []float64{}
				transport := kit.Seeded(t, &headway.Transport{Burst: -1, Jitter: -1, Base: row.tell(kit.BaseFunc(func(req *http.Request) (*http.Response, error) {
					gaps, last = append(gaps, time.Since(last).Seconds()), time.Now()
					left -= 1000
					return kit.Respond(req, http.StatusOK,
						"RateLimit-Policy", `"tokens";q=60000;w=60;qu="tokens"`, "RateLimit", fmt.Sprintf(`"tokens";r=%d;t=60`, left)), nil
				}))})
				for range 5 {
					resp, err := transport.RoundTrip(kit.NewRequest(t, kit.URL, "Test-Tokens", "1000"))
					require.NoError(t, err)
					require.NoError(t, resp.Body.Close())
				}
				require.InDeltaSlice(t, row.gaps, gaps[1:], 0.1)
			})
		})
	}
}
