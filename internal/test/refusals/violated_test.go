package refusals

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
)

// A refusal whose body names the violated policy holds only requests that use the policy. Requests that
// cost no tokens go on. The caller gets the whole body.
func TestOnlyViolatedPoliciesAreHeld(t *testing.T) {
	const problem = `{"type":"https://iana.org/assignments/http-problem-types#quota-exceeded","violated-policies":["tokens"]}`
	for _, row := range []struct {
		name, contentType string
		held              time.Duration // of requests without tokens
	}{
		{"a problem", "application/problem+json", 0},
		{"other JSON", "application/json", 30 * time.Second},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				limits := []string{
					"RateLimit", `"tokens";r=59900;t=60, "requests";r=599;t=60`,
					"RateLimit-Policy", `"tokens";q=60000;w=60;qu="tokens", "requests";q=600;w=60`,
				}
				refused := func(req *http.Request) *http.Response {
					resp := kit.Respond(req, http.StatusTooManyRequests, append(limits, "Retry-After", "30", "Content-Type", row.contentType)...)
					resp.Body = io.NopCloser(strings.NewReader(problem))
					return resp
				}
				base := kit.InTurn(kit.Status(http.StatusOK, limits...), refused, kit.Status(http.StatusOK, limits...))
				transport := kit.Seeded(t, &headway.Transport{Base: base, MaxRetries: -1})
				kit.Prime(t, transport)
				resp, err := kit.Get(headway.WithCost(t.Context(), "tokens", 100), transport, kit.URL)
				require.NoError(t, err)
				body, err := io.ReadAll(resp.Body)
				require.NoError(t, err)
				require.Equal(t, problem, string(body)) //nolint:testifylint // byte for byte, not as JSON
				require.NoError(t, resp.Body.Close())

				begun := time.Now()
				resp, err = kit.Get(headway.WithCost(t.Context(), "tokens", 0), transport, kit.URL)
				require.NoError(t, err)
				require.NoError(t, resp.Body.Close())
				if row.held == 0 {
					require.Less(t, time.Since(begun), time.Second)
				} else {
					kit.RequireHeld(t, row.held, time.Since(begun))
				}
				resp, err = kit.Get(headway.WithCost(t.Context(), "tokens", 100), transport, kit.URL)
				require.NoError(t, err)
				require.NoError(t, resp.Body.Close())
				kit.RequireHeld(t, 30*time.Second, time.Since(begun))
			})
		})
	}
}

// The resend goes first, but does not delay requests that do not use the policy for which it waits.
func TestHeldResendLetsOthersPass(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limits := []string{
			"RateLimit", `"tokens";r=59900;t=60, "requests";r=599;t=60`,
			"RateLimit-Policy", `"tokens";q=60000;w=60;qu="tokens", "requests";q=600;w=60`,
		}
		refused := func(req *http.Request) *http.Response {
			resp := kit.Respond(req, http.StatusTooManyRequests, append(limits, "Retry-After", "30", "Content-Type", "application/problem+json")...)
			resp.Body = io.NopCloser(strings.NewReader(`{"type":"https://iana.org/assignments/http-problem-types#quota-exceeded","violated-policies":["tokens"]}`))
			return resp
		}
		transport := &headway.Transport{Base: kit.InTurn(kit.Status(http.StatusOK, limits...), refused, kit.Status(http.StatusOK, limits...))}
		kit.Prime(t, transport)
		begun := time.Now()
		send := func(n int64) time.Duration {
			resp, err := kit.Get(headway.WithCost(t.Context(), "tokens", n), transport, kit.URL)
			if err == nil {
				err = resp.Body.Close()
			}
			require.NoError(t, err)
			return time.Since(begun)
		}
		var resent, behind sync.WaitGroup
		resent.Go(func() { kit.RequireHeld(t, 30*time.Second, send(100)) })
		synctest.Wait()
		behind.Go(func() { require.GreaterOrEqual(t, send(100), 30*time.Second) })
		synctest.Wait()
		for range 5 {
			require.Less(t, send(0), 5*time.Second)
		}
		resent.Wait()
		behind.Wait()
	})
}
