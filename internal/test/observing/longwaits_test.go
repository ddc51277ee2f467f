package observing

import (
	"context"
	"errors"
	"fmt"
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

func lines(out fmt.Stringer) []string {
	return strings.Split(strings.TrimSpace(out.String()), "\n")
}

// settle waits until the log has nothing more to say.
func settle() {
	time.Sleep(2 * time.Minute)
	synctest.Wait()
}

// No wait of more than a second goes unnoticed, however short it is.
func TestAShortWaitBetweenTwoLooksIsLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		logger, out := kit.NewLogger(slog.LevelInfo)
		transport := &headway.Transport{Logger: logger, Base: kit.InTurn(kit.Status(200)), Ceiling: rate.NewLimiter(rate.Every(1200*time.Millisecond), 1)}
		kit.Prime(t, transport)
		time.Sleep(700 * time.Millisecond)
		kit.Prime(t, transport) // for half a second
		kit.Prime(t, transport) // for 1.2 s, in which the log looks once, half a second after the beginning
		settle()
		require.Equal(t, []string{
			`level=INFO msg="requests wait for more than a second" partition=https://api.example.com waiting=0 longest_wait=1.2s cause=ceiling`,
		}, lines(out))
	})
}

// refused makes so many requests at once that cannot be sent.
func refused(t *testing.T, transport *headway.Transport, n int) {
	t.Helper()
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			if _, err := kit.Get(t.Context(), transport, kit.URL); !errors.Is(err, headway.ErrMaxWait) {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

// Of many requests that are refused in the same second one is logged, and the next line has the count of the others.
func TestRefusedRequestsAreCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		logger, out := kit.NewLogger(slog.LevelInfo)
		transport := &headway.Transport{Logger: logger, Jitter: -1, MaxWait: 10 * time.Second, Base: kit.InTurn(kit.UsedUp(), kit.Status(200))}
		kit.Prime(t, transport)
		const line = `^level=WARN msg="request is not sent" partition=https://api.example.com cause=quota policy=minute wait=1m\ds reason="the wait is longer than MaxWait"`
		refused(t, transport, 57)
		require.Len(t, lines(out), 1)
		require.Regexp(t, line+"$", lines(out)[0])
		out.Reset()
		time.Sleep(time.Second)
		refused(t, transport, 10)
		require.Len(t, lines(out), 1)
		require.Regexp(t, line+" unlogged=56$", lines(out)[0])
	})
}

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
		{"places, no response", &headway.Transport{}, func(req *http.Request) *http.Response {
			if strings.HasSuffix(req.URL.Path, "first") {
				return kit.InFlight("2", func() io.ReadCloser { return http.NoBody })(req)
			}
			return stuck(req)
		}, 0, headway.CausePlaces, ""},
		{"Ceiling of a Transport below", &headway.Transport{Base: &headway.Transport{Ceiling: rate.NewLimiter(rate.Every(10*time.Minute), 1)}}, kit.Status(200), 0, headway.CauseCeiling, ""},
		{"pace", &headway.Transport{Burst: -1}, kit.Status(200, "RateLimit", `"hour";r=2;t=3600`, "RateLimit-Policy", `"hour";q=2;w=3600`), 0, headway.CausePace, ""},
		{"hold", &headway.Transport{MaxRetries: -1}, kit.Status(429, "Retry-After", "3000"), 0, headway.CauseHold, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
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
		})
	}
}
