package services

import (
	"cmp"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/validate"
)

// Each rule about ambiguous fields has a test with its number, most of them in package validate. This file
// has the rules about what a client does.

// A ruleRow is a response, and how long it delays the next request.
type ruleRow struct {
	name    string
	url     string // "": hostileURL, which has no profile
	status  int    // 0: 200
	header  http.Header
	body    string
	trailer http.Header
	held    time.Duration
}

// runRules makes a request that gets the row's response, and then another one. That one is sent not earlier
// than the row says, and at most a second later.
func runRules(t *testing.T, rows []ruleRow, profiles ...validate.Profile) {
	t.Helper()
	for _, x := range rows {
		t.Run(x.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				time.Sleep(time.Until(kit.Epoch()))
				server := &kit.Server{Answer: func(n int, _ *http.Request) *http.Response {
					if n > 0 {
						return kit.Reply(http.StatusOK, nil)
					}
					return x.response()
				}}
				transport := kit.Seeded(t, &headway.Transport{Base: server, MaxRetries: -1, Profiles: profiles})
				for range 2 {
					req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, cmp.Or(x.url, kit.ServerURL), http.NoBody)
					require.NoError(t, err)
					resp, err := transport.RoundTrip(req)
					require.NoError(t, err)
					require.NoError(t, resp.Body.Close())
				}
				require.Equal(t, 2, server.Sent())
				require.GreaterOrEqual(t, server.Gap(1), x.held)
				require.LessOrEqual(t, server.Gap(1), x.held+time.Second)
			})
		})
	}
}

func (x *ruleRow) response() *http.Response {
	resp := kit.Reply(cmp.Or(x.status, http.StatusOK), x.header)
	if x.header == nil {
		resp.Header = http.Header{}
	}
	if x.body != "" {
		resp.Body = io.NopCloser(strings.NewReader(x.body))
	}
	resp.Trailer = x.trailer.Clone()
	return resp
}

// TestRule09RetryAfterWithoutRefusal: a Retry-After without a refusal begins no hold. Flask-Limiter sends it
// with every response, Jira Data Center with 0.
func TestRule09RetryAfterWithoutRefusal(t *testing.T) {
	header := kit.Fields("Retry-After", "3600")
	runRules(t, []ruleRow{
		{name: "200", status: http.StatusOK, header: header},
		{name: "202", status: http.StatusAccepted, header: header},
		{name: "404", status: http.StatusNotFound, header: header},
		{name: "500", status: http.StatusInternalServerError, header: header},
		{name: "403 and 0", status: http.StatusForbidden, header: kit.Fields("Retry-After", "0")},
	})
}

// TestRule10RetryAfterBeforeReset: Retry-After decides when the next request goes, even with remaining quota.
// Discord's shared and GitHub's secondary limits need that. If Retry-After is malformed, the reset decides.
func TestRule10RetryAfterBeforeReset(t *testing.T) {
	limit := func(remaining, reset string) []string {
		return []string{"X-RateLimit-Limit", "5000", "X-RateLimit-Remaining", remaining, "X-RateLimit-Reset", reset}
	}
	with := func(retryAfter, remaining, reset string) http.Header {
		return kit.Fields(append(limit(remaining, reset), "Retry-After", retryAfter)...)
	}
	runRules(t, []ruleRow{
		{name: "earlier than the reset, quota left", status: 429, header: with("5", "4987", "60"), held: 5 * time.Second},
		{name: "later than the reset, quota left", status: 429, header: with("60", "4987", "5"), held: time.Minute},
		{name: "later than the reset, nothing left", status: 429, header: with("60", "0", "5"), held: time.Minute},
		{name: "on a 403, quota left", status: 403, header: with("60", "4987", "5"), held: time.Minute},
		{name: "malformed", status: 429, header: with("soon", "0", "60"), held: time.Minute},
		{name: "absent", status: 429, header: kit.Fields(limit("0", "60")...), held: time.Minute},
	})
}

// TestRule13LatestResetGoverns: the latest reset of all limits without remaining quota decides.
func TestRule13LatestResetGoverns(t *testing.T) {
	policies := kit.Fields("RateLimit", `"second";r=0;t=1, "minute";r=0;t=60, "day";r=90000;t=80000`)
	families := kit.Fields("RateLimit-Remaining", "0", "RateLimit-Reset", "5", "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "60")
	runRules(t, []ruleRow{
		{name: "on a success", header: policies, held: time.Minute},
		{name: "on a refusal", status: 429, header: policies, held: time.Minute},
		{name: "in two families", header: families, held: time.Minute},
		{name: "units left", header: kit.Fields("RateLimit-Policy", `"a";q=600;w=60`, "RateLimit", `"a";r=300;t=60`)},
	})
}

// TestRule15NegativeRemaining: a negative remaining stops the client until the reset if the response refuses,
// and else not.
func TestRule15NegativeRemaining(t *testing.T) {
	header := kit.Fields("X-RateLimit-Limit", "600", "X-RateLimit-Remaining", "-1", "X-RateLimit-Reset", "60")
	runRules(t, []ruleRow{
		{name: "on a success", header: header},
		{name: "on a refusal", status: 429, header: header, held: time.Minute},
	})
}

// TestRule16AllZero: limit, remaining and reset of 0 delay nothing. Tyk sends them where no quota applies.
func TestRule16AllZero(t *testing.T) {
	runRules(t, []ruleRow{
		{name: "on a success", header: kit.Fields("X-RateLimit-Limit", "0", "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "0")},
	})
}

// TestRule21EveryLineCounts: the strictest of several lines of one field decides.
func TestRule21EveryLineCounts(t *testing.T) {
	runRules(t, []ruleRow{
		{name: "Retry-After", status: 429, header: kit.Fields("Retry-After", "5", "Retry-After", "60"), held: time.Minute},
		{name: "remaining", header: kit.Fields("X-RateLimit-Remaining", "9", "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "60"), held: time.Minute},
		{name: "reset", header: kit.Fields("X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "5", "X-RateLimit-Reset", "60"), held: time.Minute},
	})
}

// TestRule02ProfileOfMilliseconds: a caller's profile can say that a service counts milliseconds.
func TestRule02ProfileOfMilliseconds(t *testing.T) {
	rows := func(held time.Duration) []ruleRow {
		return []ruleRow{{
			name: held.String(), url: "https://v2.api.example.com/items", held: held,
			header: kit.Fields("X-Rate-Limit-Remaining", "0", "X-Rate-Limit-Reset", "60"),
		}}
	}
	runRules(t, rows(time.Minute))
	runRules(t, rows(time.Minute), validate.Profile{Host: "other.example.com", ResetUnit: time.Millisecond})
	runRules(t, rows(60*time.Millisecond), validate.Profile{Host: "api.example.com", ResetUnit: time.Millisecond})
}

// TestRule30Statuses: these statuses are refusals and begin a hold. GitHub's secondary limits send a 403 or 429
// with remaining quota and without a time, which then is a minute. Linear sends a 400 with the reason in its
// body.
func TestRule30Statuses(t *testing.T) {
	const github, linear = "https://api.github.com/user", "https://api.linear.app/graphql"
	header := kit.Fields("Retry-After", "60")
	left := kit.Fields("X-RateLimit-Limit", "5000", "X-RateLimit-Remaining", "4987", "X-RateLimit-Reset", "1800")
	complexity := kit.Fields("X-RateLimit-Complexity-Limit", "250000", "X-RateLimit-Complexity-Remaining", "0", "X-RateLimit-Complexity-Reset", "1893456060000")
	runRules(t, []ruleRow{
		{name: "GitHub's secondary limit, 429", url: github, status: 429, header: left, held: time.Minute},
		{name: "GitHub's secondary limit, 403", url: github, status: 403, header: left, body: `{"message":"You have exceeded a secondary rate limit."}`, held: time.Minute},
		{name: "no permission at GitHub", url: github, status: 403, header: left, body: `{"message":"Resource not accessible"}`},
		{name: "Linear", url: linear, status: 400, header: complexity, body: `{"errors":[{"extensions":{"code":"RATELIMITED"}}]}`, held: time.Minute},
		{name: "a bad request to Linear", url: linear, status: 400, header: left, body: `{"errors":[{"extensions":{"code":"INPUT_ERROR"}}]}`},
		{name: "Binance's ban", url: "https://api.binance.com/api/v3/depth", status: 418, header: header, held: time.Minute},
		{name: "Anthropic overloaded", url: "https://api.anthropic.com/v1/messages", status: 529, header: header, held: time.Minute},
		{name: "429", status: 429, header: header, held: time.Minute},
		{name: "503", status: 503, header: header, held: time.Minute},
		{name: "403", status: 403, header: header, held: time.Minute},
		{name: "400", status: 400, header: header},
		{name: "418", status: 418, header: header},
		{name: "500", status: 500, header: header},
		{name: "529", status: 529, header: header},
	})
}

// TestRule31CachedResponses: limits in a cached response are ignored.
func TestRule31CachedResponses(t *testing.T) {
	used := []string{"X-RateLimit-Limit", "600", "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "60"}
	runRules(t, []ruleRow{
		{name: "Age", header: kit.Fields(append(used, "Age", "5")...)},
		{name: "Age 0", header: kit.Fields(append(used, "Age", "0")...), held: time.Minute},
	})
}

// TestRule32Trailers: limits in trailers delay nothing if the caller closes the body before its end.
func TestRule32Trailers(t *testing.T) {
	used := kit.Fields("X-RateLimit-Limit", "600", "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "60", "Retry-After", "60")
	runRules(t, []ruleRow{
		{name: "on a success", trailer: used},
		{name: "not even beside a header", header: kit.Fields("X-RateLimit-Remaining", "9"), trailer: used},
	})
}
