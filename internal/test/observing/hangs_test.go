package observing

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/time/rate"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
)

// Whatever six requests wait for, and although nothing else happens, the log says so within a second or two, and once a
// minute while it lasts.
func TestEveryLongWaitIsLogged(t *testing.T) {
	const atOnce, lasts = 6, 30 * time.Minute
	bodies := func() io.ReadCloser { return kit.NewTrackedBody("never closed") }
	stuck := func(req *http.Request) *http.Response {
		<-req.Context().Done()
		return kit.Respond(req, http.StatusOK)
	}
	for _, test := range []struct {
		name      string
		transport *headway.Transport
		answer    func(*http.Request) *http.Response
		before    int           // requests before, whose responses are not closed
		cause     headway.Cause // "": any
		likely    string        // of the lines after a minute
	}{
		{"places, bodies not closed", &headway.Transport{}, kit.InFlight("3", bodies), 3, headway.CausePlaces, "3 responses have not been closed"},
		{"places, one body not closed", &headway.Transport{}, kit.InFlight("1", bodies), 1, headway.CausePlaces, "1 response has not been closed"},
		{"places, no response", &headway.Transport{}, func(req *http.Request) *http.Response {
			if strings.HasSuffix(req.URL.Path, "first") {
				return kit.InFlight("2", func() io.ReadCloser { return http.NoBody })(req)
			}
			return stuck(req)
		}, 0, headway.CausePlaces, ""},
		{"Ceiling", &headway.Transport{Ceiling: rate.NewLimiter(rate.Every(10*time.Minute), 1)}, kit.Status(200), 0, headway.CauseCeiling, ""},
		{"Ceiling of a Transport below", &headway.Transport{Base: &headway.Transport{Ceiling: rate.NewLimiter(rate.Every(10*time.Minute), 1)}}, kit.Status(200), 0, headway.CauseCeiling, ""},
		{"quota or pace", &headway.Transport{}, kit.Status(200, "RateLimit", `"hour";r=0;t=3500`, "RateLimit-Policy", `"hour";q=1;w=3600`), 0, "", ""},
		{"pace", &headway.Transport{Burst: -1}, kit.Status(200, "RateLimit", `"hour";r=2;t=3600`, "RateLimit-Policy", `"hour";q=2;w=3600`), 0, headway.CausePace, ""},
		{"hold", &headway.Transport{MaxRetries: -1}, kit.Status(429, "Retry-After", "3000"), 0, headway.CauseHold, ""},
	} {
		kit.Bubble(t, test.name, func(t *testing.T) {
			logger, out := kit.NewLogger(slog.LevelInfo)
			base := kit.BaseFunc(func(req *http.Request) (*http.Response, error) { return test.answer(req), nil })
			if below, ok := test.transport.Base.(*headway.Transport); ok {
				below.Base, below.Logger = base, logger
			} else {
				test.transport.Base, test.transport.Logger = base, logger
			}
			test.transport.MaxWait = -1
			ctx, cancel := context.WithCancel(t.Context())
			for range max(test.before, 1) {
				resp, err := kit.Get(ctx, test.transport, kit.Origin+"/first")
				require.NoError(t, err)
				if test.before == 0 {
					require.NoError(t, resp.Body.Close())
				}
			}
			out.Reset()
			var all sync.WaitGroup
			for range atOnce {
				all.Go(func() {
					_ = kit.Fetch(ctx, test.transport, kit.Origin+"/first/more")
				})
			}
			time.Sleep(2 * time.Second)
			synctest.Wait()
			require.Contains(t, out.String(), `msg="requests wait for more than a second"`)
			require.Contains(t, out.String(), "cause="+string(test.cause))
			require.NotContains(t, out.String(), "likely")
			time.Sleep(lasts)
			synctest.Wait()
			logged := strings.Count(out.String(), "requests wait for more than a second")
			require.GreaterOrEqual(t, logged, 30)
			require.LessOrEqual(t, logged, 31)
			if test.likely != "" {
				require.Equal(t, logged-1, strings.Count(out.String(), `likely="`+test.likely+`"`), out.String())
			} else {
				require.NotContains(t, out.String(), "likely")
			}
			cancel()
			all.Wait()
			time.Sleep(2 * time.Minute)
			synctest.Wait()
			require.Equal(t, logged, strings.Count(out.String(), "requests wait for more than a second"), "nothing waits any more")
		})
	}
}
