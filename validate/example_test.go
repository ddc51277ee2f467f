package validate_test

import (
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/headway-go/headway/validate"
)

// A response reports the limits of an API: the policies and the remaining quota.
func ExampleResponse() {
	resp := &http.Response{
		StatusCode: http.StatusOK,
		Header: http.Header{
			"Ratelimit-Policy": {`"permin";q=50;w=60, "perhr";q=1000;w=3600`},
			"Ratelimit":        {`"permin";r=12;t=20`},
		},
	}
	reading := validate.Response(resp, time.Now(), validate.Bounds{})
	for _, l := range reading.Limits {
		fmt.Printf("%s: %d in %v", l.Policy, l.Quota, l.Window)
		if l.Remaining != validate.Unknown {
			fmt.Printf(", %d left for %v", l.Remaining, l.Reset)
		}
		fmt.Println()
	}
	// Output:
	// permin: 50 in 1m0s, 12 left for 20s
	// perhr: 1000 in 1h0m0s
}

// Some responses refuse a request because of a limit. A 403 is mostly about permission, so it needs
// evidence: here a Retry-After.
func ExampleResponse_throttled() {
	for _, row := range []struct {
		status int
		header http.Header
	}{
		{http.StatusTooManyRequests, nil},
		{http.StatusServiceUnavailable, nil},
		{http.StatusServiceUnavailable, http.Header{"Retry-After": {"5"}}},
		{http.StatusForbidden, nil},
		{http.StatusForbidden, http.Header{"X-Ratelimit-Remaining": {"0"}}},
	} {
		resp := &http.Response{StatusCode: row.status, Header: row.header}
		fmt.Println(row.status, validate.Response(resp, time.Now(), validate.Bounds{}).Verdict.IsRefusal())
	}
	// Output:
	// 429 true
	// 503 false
	// 503 true
	// 403 false
	// 403 true
}

// A wrong header asks a client to wait for a hundred years. Bounds clamps the wait.
func ExampleBounds() {
	resp := &http.Response{
		StatusCode: http.StatusTooManyRequests,
		Header:     http.Header{"Retry-After": {"3153600000"}},
	}
	reading := validate.Response(resp, time.Now(), validate.Bounds{MaxReset: 24 * time.Hour})
	fmt.Println("wait", reading.RetryAfter)
	for _, p := range reading.Problems {
		fmt.Println(p)
	}
	// Output:
	// wait 24h0m0s
	// validate: Retry-After: longer than MaxReset, clamped
}

// Only the documentation of this service says that its resets are in milliseconds, and that a status 409
// may be about a limit.
func ExampleProfile() {
	documented := validate.Profile{
		Host:      "api.example.com",
		ResetUnit: time.Millisecond,
		Signs:     []validate.Sign{{Statuses: []int{http.StatusConflict}, Text: "quota exceeded"}},
		MinWait:   30 * time.Second,
	}
	resp := &http.Response{
		StatusCode: http.StatusConflict,
		Header: http.Header{
			"X-Ratelimit-Limit":     {"100"},
			"X-Ratelimit-Remaining": {"12"},
			"X-Ratelimit-Reset":     {"7500"},
		},
		Request: &http.Request{URL: &url.URL{Scheme: "https", Host: "api.example.com"}},
	}
	reading := validate.Response(resp, time.Now(), validate.Bounds{}, documented)
	fmt.Println("reset after", reading.Limits[0].Reset)
	fmt.Println("throttled:", reading.Verdict.IsRefusal())
	if reading.WantsBody { // read the beginning of the body now
		reading.ReadBody([]byte(`{"error":"quota exceeded"}`))
		fmt.Println("by its body:", reading.Verdict)
		fmt.Println("wait", reading.RetryAfter)
	}
	// Output:
	// reset after 7.5s
	// throttled: false
	// by its body: wait
	// wait 30s
}

// Wrong: taking an Unknown reset as a reset that has passed. Unknown is not 0.
func ExampleResponse_incorrect() {
	resp := &http.Response{
		StatusCode: http.StatusOK,
		Header:     http.Header{"X-Ratelimit-Limit": {"100"}},
	}
	l := validate.Response(resp, time.Now(), validate.Bounds{}).Limits[0]
	fmt.Println("wrong:", l.Remaining <= 0)
	fmt.Println("right:", l.Remaining == 0)
	// Output:
	// wrong: true
	// right: false
}
