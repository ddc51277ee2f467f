package headway_test

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/examples/ownlimits"
	"github.com/headway-go/headway/ratelimittest"
)

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

// telling returns a server that tells its limit in bodies.
func telling(l ratelimittest.Limiter, next, refuse http.Handler) http.RoundTripper {
	h := &ratelimittest.Handler{Limiter: l, Dialect: ratelimittest.Silent, RetryAfter: ratelimittest.Silent, Next: next, Refuse: refuse}
	h.Cost = func(req *http.Request) int64 {
		n, _ := strconv.ParseInt(req.Header.Get("Test-Cost"), 10, 64)
		return n
	}
	return &ratelimittest.Transport{Handler: h}
}

// Shopify's GraphQL API tells its limits in the body, and refuses with status 200. How does a Transport know? A function
// reads the body, and the caller still gets all of it. Copy the function from examples/ownlimits.
func ExampleTransport_limits() {
	api := telling(&ratelimittest.TokenBucket{Policy: ratelimittest.Per(1000, 1000*time.Second)},
		ratelimittest.Respond(http.StatusOK, `{"data":{},"extensions":{"cost":{"requestedQueryCost":{cost},"actualQueryCost":{cost},
			"throttleStatus":{"maximumAvailable":{limit},"currentlyAvailable":{remaining},"restoreRate":{rate}}}}}`),
		ratelimittest.Respond(http.StatusOK, `{"errors":[{"message":"Throttled","extensions":{"code":"THROTTLED"}}],
			"extensions":{"cost":{"requestedQueryCost":{cost},"actualQueryCost":null,
			"throttleStatus":{"maximumAvailable":{limit},"currentlyAvailable":{remaining},"restoreRate":{rate}}}}}`))
	transport := &headway.Transport{Base: api, Limits: ownlimits.Shopify, MaxRetries: -1}
	ask(transport, "400")
	ask(transport, "700")
	// Output:
	// 200 OK {"data":{},"extensions":{"cost":{"r
	// 600 of 1000 points in 16m40s
	// 200 OK {"errors":[{"message":"Throttled","
	// 600 of 1000 points in 16m40s
	// held for some 1m40s
}

// The answer to a query of GitHub's GraphQL API has the points of the hour, if the query asks for them.
func ExampleTransport_limitsOfGitHub() {
	api := telling(&ratelimittest.FixedWindow{Policy: ratelimittest.Per(5000, time.Hour)},
		ratelimittest.Respond(http.StatusOK, `{"data":{"rateLimit":{"limit":{limit},"cost":{cost},"remaining":{remaining},"resetAt":"{rfc3339}"}}}`),
		ratelimittest.Respond(http.StatusOK, `{"errors":[{"type":"RATE_LIMITED","message":"API rate limit exceeded"}]}`))
	transport := &headway.Transport{Base: api, Limits: ownlimits.GitHub, MaxRetries: -1}
	ask(transport, "30")
	// Output:
	// 200 OK {"data":{"rateLimit":{"limit":5000,
	// 4970 of 5000 points in 1h0m0s
}

// Facebook reports the percentages that are used of an hour, as JSON in a header field.
func ExampleTransport_limitsOfFacebook() {
	api := &ratelimittest.Transport{Handler: &ratelimittest.Handler{
		Limiter: &ratelimittest.FixedWindow{Policy: ratelimittest.Per(200, time.Hour)},
		Dialect: ratelimittest.Fields(`X-App-Usage: {"call_count":{percent},"total_time":1,"total_cputime":1}`),
		Cost:    func(*http.Request) int64 { return 10 },
		Next:    ratelimittest.Respond(http.StatusOK, `{"id":"1"}`),
	}}
	transport := &headway.Transport{Base: api, Limits: ownlimits.Facebook}
	ask(transport, "")
	ask(transport, "")
	// Output:
	// 200 OK {"id":"1"}
	// 95 of 100 percent in 1h0m0s
	// 200 OK {"id":"1"}
	// 90 of 100 percent in 1h0m0s
}
