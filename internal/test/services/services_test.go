package services

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/headway-go/headway/validate"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
)

// Each service refuses in its own way.
func TestProfilesOfServices(t *testing.T) {
	const (
		linear  = "https://api.linear.app/graphql"
		notion  = "https://api.notion.com/v1/pages"
		claude  = "https://api.anthropic.com/v1/messages"
		binance = "https://api.binance.com/api/v3/order"
	)
	in30s := func() string { return fmt.Sprint(time.Now().Add(30 * time.Second).UnixMilli()) }
	limited := `{"errors":[{"message":"Rate limit exceeded","extensions":{"code":"RATELIMITED","statusCode":429}}]}`
	invalid := `{"errors":[{"message":"Syntax Error","extensions":{"code":"GRAPHQL_PARSE_FAILED"}}]}`
	for _, row := range []struct {
		name         string
		method, url  string
		header       http.Header // of the request
		status       int
		fields       func() http.Header
		body         string
		isEverywhere bool // of another host it is a refusal, too
		isResent     bool
		held         time.Duration // at least; 0: no hold, or one that the client chooses
	}{
		{
			name: "Linear, nothing remains", method: "POST", url: linear, status: 400, body: limited, isResent: true, held: 30 * time.Second,
			fields: func() http.Header {
				return kit.Fields("X-RateLimit-Requests-Limit", "1500", "X-RateLimit-Requests-Remaining", "0", "X-RateLimit-Requests-Reset", in30s())
			},
		},
		{
			name: "Linear, the body says so", method: "POST", url: linear, status: 400, body: limited, isResent: true,
			fields: func() http.Header {
				return kit.Fields("X-RateLimit-Requests-Limit", "1500", "X-RateLimit-Requests-Remaining", "1200", "X-RateLimit-Requests-Reset", in30s())
			},
		},
		{name: "Linear, a query that is none", method: "POST", url: linear, status: 400, body: invalid},
		// GitHub's secondary limits have no time of their own, and the primary limit's quota stays as it is.
		{name: "GitHub's secondary limit", method: "POST", url: githubURL, status: 403, fields: github(), body: secondary, isResent: true, held: time.Minute},
		{
			name: "GitHub's secondary limit, a body longer than is looked at", method: "GET", url: githubURL, status: 403,
			fields: github(), body: secondary + strings.Repeat(" ", validate.MaxBody), isResent: true, held: time.Minute,
		},
		{name: "GitHub's secondary limit, 429 without a body", method: "POST", url: githubURL, status: 429, fields: github(), isEverywhere: true, isResent: true, held: time.Minute},
		{
			name: "GitHub's secondary limit, a Retry-After", method: "POST", url: githubURL, status: 403,
			fields: github("Retry-After", "90"), body: secondary, isEverywhere: true, isResent: true, held: 90 * time.Second,
		},
		{name: "Notion, overloaded", method: "GET", url: notion, status: 529, fields: retryAfter("10"), isEverywhere: true, isResent: true, held: 10 * time.Second},
		{
			name: "Notion, overloaded in a POST that may be repeated", method: "POST", url: notion, header: kit.Fields("Idempotency-Key", "k"),
			status: 529, fields: retryAfter("10"), isEverywhere: true, isResent: true, held: 10 * time.Second,
		},
		{name: "Anthropic, overloaded in a POST", method: "POST", url: claude, status: 529, fields: retryAfter("10"), isEverywhere: true, held: 10 * time.Second},
		{name: "Binance, banned", method: "GET", url: binance, status: 418, fields: retryAfter("120"), isResent: true, held: 2 * time.Minute},
		{name: "Binance, its firewall", method: "GET", url: binance, status: 403},
	} {
		t.Run(row.name, func(t *testing.T) {
			if row.fields == nil {
				row.fields = func() http.Header { return nil }
			}
			send := func(t *testing.T, url string) (x, next *sending, server *kit.Server) {
				t.Helper()
				server = refusingOnce(row.status, row.fields(), row.body)
				transport := kit.Seeded(t, &headway.Transport{Base: server})
				x = &sending{method: row.method, url: url, header: row.header, body: "payload"}
				require.NoError(t, x.through(t.Context(), transport))
				next = &sending{method: http.MethodGet, url: url}
				require.NoError(t, next.through(t.Context(), transport))
				return x, next, server
			}
			synctest.Test(t, func(t *testing.T) {
				x, next, server := send(t, row.url)
				sent := server.Calls()
				require.GreaterOrEqual(t, sent[1].At.Sub(sent[0].At), row.held)
				require.LessOrEqual(t, sent[1].At.Sub(sent[0].At), row.held+time.Second)
				if row.isResent {
					require.Len(t, sent, 3)
					require.Equal(t, http.StatusOK, x.status)
					require.Equal(t, "payload", sent[1].Body)
					require.Positive(t, x.took)
					return
				}
				require.Len(t, sent, 2)
				require.Equal(t, row.status, x.status)
				requireText(t, row.body, x.text)
				require.Zero(t, x.took)
				require.Equal(t, row.held > 0, next.took > 0)
			})
			if row.isEverywhere {
				return
			}
			synctest.Test(t, func(t *testing.T) {
				x, next, server := send(t, "https://api.example.com/v1/things")
				require.Len(t, server.Calls(), 2)
				require.Equal(t, row.status, x.status, "another host's")
				requireText(t, row.body, x.text)
				require.Zero(t, x.took)
				if row.held != 30*time.Second { // no remaining quota
					require.Zero(t, next.took)
				}
			})
		})
	}
}

func github(more ...string) func() http.Header {
	return func() http.Header { return githubFields(more...) }
}

func retryAfter(seconds string) func() http.Header {
	return func() http.Header { return kit.Fields("Retry-After", seconds) }
}
