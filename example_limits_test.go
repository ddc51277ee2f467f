package headway_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/parse"
	"github.com/headway-go/headway/ratelimittest"
	"github.com/headway-go/headway/validate"
)

// shopifyLimits reads the bucket of points in the responses of Shopify's GraphQL API. A refusal has status 200 there.
func shopifyLimits(resp *http.Response) (r headway.Reported) {
	var answer struct {
		Errors     []struct{ Extensions struct{ Code string } }
		Extensions struct {
			Cost struct {
				RequestedQueryCost float64
				ThrottleStatus     struct{ MaximumAvailable, CurrentlyAvailable, RestoreRate float64 }
			}
		}
	}
	if json.NewDecoder(resp.Body).Decode(&answer) != nil || answer.Extensions.Cost.ThrottleStatus.RestoreRate <= 0 {
		return r
	}
	cost, bucket := answer.Extensions.Cost.RequestedQueryCost, answer.Extensions.Cost.ThrottleStatus
	fill := func(points float64) time.Duration {
		return time.Duration(points / bucket.RestoreRate * float64(time.Second))
	}
	r.Limits = []limits.Told{{
		Policy: "points", Unit: "points", Quota: int64(bucket.MaximumAvailable),
		Remaining: int64(bucket.CurrentlyAvailable), Window: fill(bucket.MaximumAvailable),
	}}
	if len(answer.Errors) > 0 && answer.Errors[0].Extensions.Code == "THROTTLED" {
		r.Throttled, r.RetryAfter = true, fill(cost-bucket.CurrentlyAvailable)
	}
	return r
}

// gitHubLimits reads the points of GitHub's GraphQL API, if the query asks for them: rateLimit { limit remaining resetAt }.
func gitHubLimits(resp *http.Response) (r headway.Reported) {
	var answer struct {
		Errors []struct{ Type string }
		Data   struct {
			RateLimit *struct {
				Limit, Remaining int64
				ResetAt          time.Time
			}
		}
	}
	if json.NewDecoder(resp.Body).Decode(&answer) != nil {
		return r
	}
	if l := answer.Data.RateLimit; l != nil {
		r.Limits = []limits.Told{{
			Policy: "points", Unit: "points", Quota: l.Limit, Remaining: l.Remaining,
			Window: time.Hour, Reset: validate.Until(resp, time.Now(), l.ResetAt),
		}}
	}
	r.Throttled = len(answer.Errors) > 0 && answer.Errors[0].Type == "RATE_LIMITED"
	return r
}

// botLimits reads the wait in a refusal of Telegram's Bot API. The status is 429, and only the body has the wait.
func botLimits(resp *http.Response) (r headway.Reported) {
	if resp.StatusCode != http.StatusTooManyRequests {
		return r
	}
	var answer struct {
		Parameters struct {
			RetryAfter int64 `json:"retry_after"`
		}
	}
	if json.NewDecoder(resp.Body).Decode(&answer) == nil {
		r.RetryAfter = time.Duration(answer.Parameters.RetryAfter) * time.Second
	}
	return r
}

type answeringWith string

func (a answeringWith) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		_ = req.Body.Close()
	}
	return &http.Response{
		Status: "200 OK", StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{}, Body: io.NopCloser(strings.NewReader(string(a))), Request: req,
	}, nil
}

// ask sends a query at that cost to a server, and prints what the Transport has learned.
func ask(transport *headway.Transport, cost string) {
	req, _ := http.NewRequest(http.MethodPost, things, strings.NewReader("{ shop { name } }"))
	req.Header.Set("Test-Cost", cost)
	resp, err := (&http.Client{Transport: transport}).Do(req)
	if err != nil {
		fmt.Println(err)
		return
	}
	body, _ := io.ReadAll(resp.Body)
	fmt.Println(resp.Status, string(body[:min(len(body), 35)]))
	_ = resp.Body.Close()
	state := transport.State()[0]
	for _, l := range state.Limits {
		fmt.Println(l.Remaining, "of", l.Quota, l.Unit, "in", l.Window)
	}
	if wait := time.Until(state.HeldUntil); wait > 0 {
		fmt.Println("held for some", wait.Round(time.Second))
	}
}

// telling returns a server that tells its limit in bodies of that form.
func telling(l ratelimittest.Limiter, body http.HandlerFunc) http.RoundTripper {
	h := ratelimittest.InBody(l, body)
	h.Cost = func(req *http.Request) int64 {
		n, _ := strconv.ParseInt(req.Header.Get("Test-Cost"), 10, 64)
		return n
	}
	return &ratelimittest.Transport{Handler: h}
}

// Shopify's GraphQL API tells its limits in the body, and refuses with status 200. How does a Transport know? A function
// reads the body, and the caller still gets all of it.
func ExampleTransport_limits() {
	api := telling(ratelimittest.NewTokenBucket(1000, 20*time.Second), ratelimittest.CostBody)
	transport := &headway.Transport{Base: api, Limits: shopifyLimits, MaxRetries: -1}
	ask(transport, "400")
	ask(transport, "700")
	// Output:
	// 200 OK {"data":{},"extensions":{"cost":{"r
	// 600 of 1000 points in 20s
	// 200 OK {"errors":[{"message":"Throttled","
	// 600 of 1000 points in 20s
	// held for some 2s
}

// The answer to a query of GitHub's GraphQL API has the points of the hour, if the query asks for them.
func ExampleTransport_limitsOfGitHub() {
	api := telling(ratelimittest.NewFixedWindow(5000, time.Hour), ratelimittest.PointsBody)
	transport := &headway.Transport{Base: api, Limits: gitHubLimits, MaxRetries: -1}
	ask(transport, "30")
	// Output:
	// 200 OK {"data":{"rateLimit":{"limit":5000,
	// 4970 of 5000 points in 1h0m0s
}

// Telegram's Bot API says in the body of a refusal how long to wait.
func ExampleTransport_limitsOfTelegram() {
	api := telling(ratelimittest.NewLinear(1, 30*time.Second), ratelimittest.RetryAfterBody)
	transport := &headway.Transport{Base: api, Limits: botLimits, MaxRetries: -1}
	ask(transport, "1")
	ask(transport, "1")
	// Output:
	// 200 OK {"ok":true,"result":true}
	// 429 Too Many Requests {"ok":false,"error_code":429,"descr
	// held for some 30s
}

// A stream tells its cost at its end. What to do with the estimate that was reserved? Report the real cost.
func ExampleReport() {
	stream := answeringWith(`{"text":"Hello"} {"usage":{"tokens":150}}`)
	documented := limits.Told{Policy: "tokens", Unit: "tokens", Quota: 10_000, Remaining: limits.Unknown, Window: time.Hour}
	transport := &headway.Transport{Base: stream, Limits: func(*http.Response) headway.Reported {
		return headway.Reported{Limits: []limits.Told{documented}}
	}}

	ctx := headway.WithReport(headway.WithCost(context.Background(), "tokens", 4000))
	req, _ := http.NewRequestWithContext(ctx, http.MethodPost, things, http.NoBody)
	resp, err := (&http.Client{Transport: transport}).Do(req)
	if err != nil {
		fmt.Println(err)
		return
	}
	var chunk struct{ Usage struct{ Tokens int64 } }
	for events := json.NewDecoder(resp.Body); events.Decode(&chunk) == nil; {
	}
	_ = resp.Body.Close()
	used := map[parse.Unit]int64{"tokens": chunk.Usage.Tokens}
	fmt.Println(used, headway.Report(ctx, headway.Reported{Costs: used}))
	// Output:
	// map[tokens:150] true
}

// Wrong: a context without WithReport. Report does nothing, as it does not know the request.
func ExampleReport_incorrect() {
	fmt.Println(headway.Report(context.Background(), headway.Reported{Throttled: true}))
	// Output:
	// false
}
