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

// A quotaOfTwo is a server with a limit on tokens and one on requests. It refuses the second request because of its tokens.
func quotaOfTwo(contentType string) *kit.Answers {
	limits := []string{
		"RateLimit", `"tokens";r=59900;t=60, "requests";r=599;t=60`,
		"RateLimit-Policy", `"tokens";q=60000;w=60;qu="tokens", "requests";q=600;w=60`,
	}
	ok := kit.Status(http.StatusOK, limits...)
	return kit.InTurn(ok, func(req *http.Request) *http.Response {
		resp := kit.Respond(req, http.StatusTooManyRequests, append(limits, "Retry-After", "30", "Content-Type", contentType)...)
		resp.Body = io.NopCloser(strings.NewReader(tokensViolated))
		return resp
	}, ok)
}

const tokensViolated = `{"type":"https://iana.org/assignments/http-problem-types#quota-exceeded","violated-policies":["tokens"]}`

// withTokens makes a request that costs so many tokens, and returns the text of its response.
func withTokens(t *testing.T, transport *headway.Transport, n int64) string {
	t.Helper()
	resp, err := kit.Get(headway.WithCost(t.Context(), "tokens", n), transport, kit.URL)
	require.NoError(t, err)
	return kit.ReadAll(t, resp)
}

// A refusal whose body names the violated policy holds only requests that use the policy. Requests that
// cost no tokens go on. The caller gets the whole body.
func TestOnlyViolatedPoliciesAreHeld(t *testing.T) {
	for _, row := range []struct {
		name, contentType string
		held              time.Duration // of requests without tokens
	}{
		{"a problem", "application/problem+json", 0},
		{"other JSON", "application/json", 0},
		{"a text", "text/plain", 30 * time.Second},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				transport := kit.Seeded(t, &headway.Transport{Base: quotaOfTwo(row.contentType), MaxRetries: -1})
				kit.Prime(t, transport)
				require.Equal(t, tokensViolated, withTokens(t, transport, 100)) //nolint:testifylint // byte for byte, not as JSON
				begun := time.Now()
				withTokens(t, transport, 0)
				if row.held > 0 {
					kit.RequireHeld(t, row.held, time.Since(begun))
					return
				}
				require.Less(t, time.Since(begun), time.Second)
				withTokens(t, transport, 100)
				kit.RequireHeld(t, 30*time.Second, time.Since(begun))
			})
		})
	}
}

// The resend goes first, but does not delay requests that do not use the policy for which it waits.
func TestHeldResendLetsOthersPass(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		transport := &headway.Transport{Base: quotaOfTwo("application/problem+json")}
		kit.Prime(t, transport)
		begun := time.Now()
		send := func(n int64) time.Duration {
			withTokens(t, transport, n)
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
