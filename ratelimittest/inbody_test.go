package ratelimittest_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

func TestInBody(t *testing.T) {
	type answer struct {
		status int
		body   string
	}
	for _, test := range []struct {
		name    string
		limiter ratelimittest.Limiter
		body    http.HandlerFunc
		want    []answer // two that are allowed, at 40 units each, and a refusal
	}{
		{"cost", ratelimittest.NewTokenBucket(100, 2*time.Second), ratelimittest.CostBody, []answer{
			{200, `{"data":{},"extensions":{"cost":{"requestedQueryCost":40,"actualQueryCost":40,"throttleStatus":{"maximumAvailable":100,"currentlyAvailable":60,"restoreRate":50}}}}`},
			{200, `{"data":{},"extensions":{"cost":{"requestedQueryCost":40,"actualQueryCost":40,"throttleStatus":{"maximumAvailable":100,"currentlyAvailable":20,"restoreRate":50}}}}`},
			{200, `{"errors":[{"message":"Throttled","extensions":{"code":"THROTTLED"}}],"extensions":{"cost":{"requestedQueryCost":40,"actualQueryCost":null,"throttleStatus":{"maximumAvailable":100,"currentlyAvailable":20,"restoreRate":50}}}}`},
		}},
		{"points", ratelimittest.NewFixedWindow(100, time.Hour), ratelimittest.PointsBody, []answer{
			{200, `{"data":{"rateLimit":{"limit":100,"cost":40,"remaining":60,"resetAt":"2000-01-01T01:00:00Z"}}}`},
			{200, `{"data":{"rateLimit":{"limit":100,"cost":40,"remaining":20,"resetAt":"2000-01-01T01:00:00Z"}}}`},
			{200, `{"errors":[{"type":"RATE_LIMITED","message":"API rate limit exceeded"}]}`},
		}},
		{"retry_after", ratelimittest.NewFixedWindow(100, time.Minute), ratelimittest.RetryAfterBody, []answer{
			{200, `{"ok":true,"result":true}`},
			{200, `{"ok":true,"result":true}`},
			{429, `{"ok":false,"error_code":429,"description":"Too Many Requests: retry after 60","parameters":{"retry_after":60}}`},
		}},
		{"cost, without a limit", nil, ratelimittest.CostBody, []answer{
			{200, `{"data":{},"extensions":{"cost":{"requestedQueryCost":40,"actualQueryCost":40,"throttleStatus":null}}}`},
		}},
		{"points, without a limit", nil, ratelimittest.PointsBody, []answer{{200, `{"data":{"rateLimit":null}}`}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := ratelimittest.InBody(test.limiter, test.body)
				h.Cost = func(*http.Request) int64 { return 40 }
				transport := &ratelimittest.Transport{Handler: h}
				for _, want := range test.want {
					resp, err := transport.RoundTrip(httptest.NewRequest(http.MethodPost, "http://api.test/graphql", http.NoBody))
					require.NoError(t, err)
					body, err := io.ReadAll(resp.Body)
					require.NoError(t, err)
					require.NoError(t, resp.Body.Close())
					require.Equal(t, want, answer{resp.StatusCode, string(body)})
					require.Equal(t, "application/json", resp.Header.Get("Content-Type"))
					for name := range resp.Header {
						require.Contains(t, []string{"Content-Type", "Content-Length", "Date"}, name, "nothing in fields")
					}
				}
			})
		})
	}
}

// The innermost Handler has decided. Without a Handler nothing has.
func TestDecisionOf(t *testing.T) {
	var got []int64
	inner := ratelimittest.InBody(ratelimittest.NewFixedWindow(7, time.Hour), func(_ http.ResponseWriter, r *http.Request) {
		d, cost, _ := ratelimittest.DecisionOf(r)
		got = append(got, d.Limits[0].Quota, cost)
	})
	outer := ratelimittest.NewHandler(ratelimittest.NewFixedWindow(9, time.Hour), nil)
	outer.Next = inner
	req := httptest.NewRequest(http.MethodGet, "/", http.NoBody)
	outer.ServeHTTP(httptest.NewRecorder(), req)
	require.Equal(t, []int64{7, 1}, got)
	d, cost, ok := ratelimittest.DecisionOf(req)
	require.Equal(t, ratelimittest.Decision{Allowed: true}, d)
	require.Zero(t, cost)
	require.False(t, ok)
}
