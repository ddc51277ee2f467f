package headway_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/ratelimittest"
	"github.com/headway-go/headway/validate"
)

// server returns an API in memory that allows three requests per hour.
func server() http.RoundTripper {
	return &ratelimittest.Transport{
		Handler: ratelimittest.NewHandler(ratelimittest.NewFixedWindow(3, time.Hour), ratelimittest.Draft10),
	}
}

// A client is made once and used by everyone. It stays under the limits of all
// servers that it talks to.
func Example() {
	client := &http.Client{Transport: &headway.Transport{Base: server()}} // Base: nil for real ones
	resp, err := client.Get("https://api.example.com/things")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = resp.Body.Close() }()
	fmt.Println(resp.StatusCode)
	// Output: 200
}

// A request that cannot start before its deadline is not kept waiting for it.
func ExampleLimitError() {
	client := &http.Client{
		Transport: &headway.Transport{Base: server()},
		Timeout:   10 * time.Second, // includes the time that a request waits
	}
	for {
		resp, err := client.Get("https://api.example.com/things")
		if limit, ok := errors.AsType[*headway.LimitError](err); ok {
			fmt.Println("partition:", limit.Partition)
			fmt.Println("because of the deadline:", errors.Is(err, context.DeadlineExceeded))
			fmt.Println("possible within the hour:", limit.Wait <= time.Hour)
			return
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		_ = resp.Body.Close()
	}
	// Output:
	// partition: https://api.example.com
	// because of the deadline: true
	// possible within the hour: true
}

// An SDK that retries by itself, and knows what to do with a 429 but not with an
// error of a type that it has never seen, gets responses.
func ExampleRefused() {
	client := &http.Client{Transport: &headway.Transport{
		Base:    server(),
		MaxWait: time.Minute,
		Refusal: headway.RefuseWithResponse,
	}}
	for {
		resp, err := client.Get("https://api.example.com/things")
		if err != nil {
			fmt.Println(err)
			return
		}
		_ = resp.Body.Close()
		if limit, ok := headway.Refused(resp); ok {
			fmt.Println(resp.StatusCode, resp.Header.Get("X-Should-Retry"))
			fmt.Println("longer than MaxWait:", errors.Is(limit, headway.ErrMaxWait))
			return
		}
	}
	// Output:
	// 429 false
	// longer than MaxWait: true
}

// A server that limits searching apart from everything else gets two partitions,
// and health checks are left alone.
func ExampleTransport_partition() {
	transport := &headway.Transport{
		Base: server(),
		Partition: func(req *http.Request) string {
			switch {
			case req.URL.Path == "/health":
				return "" // straight to Base
			case strings.HasPrefix(req.URL.Path, "/search"):
				return headway.DefaultPartition(req) + " search"
			default:
				return headway.DefaultPartition(req)
			}
		},
	}
	client := &http.Client{Transport: transport}
	for _, path := range []string{"/things", "/search?q=a", "/health"} {
		resp, err := client.Get("https://api.example.com" + path)
		if err != nil {
			fmt.Println(err)
			return
		}
		_ = resp.Body.Close()
	}
	for _, state := range transport.State() {
		fmt.Println(state.Partition)
	}
	// Output:
	// https://api.example.com
	// https://api.example.com search
}

// An API that refuses with a status of its own and says nowhere when to come back, but
// in its documentation.
func ExampleTransport_profiles() {
	transport := &headway.Transport{
		Base:       failing(http.StatusConflict, "quota exceeded"),
		MaxRetries: -1, // or the request would wait, and be sent again
		Profiles: []validate.Profile{{
			Host:    "api.example.com",
			Proofs:  []validate.Proof{{Status: http.StatusConflict, Text: "quota exceeded"}},
			MinWait: time.Minute,
		}},
	}
	client := &http.Client{Transport: transport}
	for _, host := range []string{"api.example.com", "other.example.com"} {
		resp, err := client.Get("https://" + host + "/things")
		if err != nil {
			fmt.Println(err)
			return
		}
		_ = resp.Body.Close()
	}
	for _, state := range transport.State() {
		fmt.Println(state.Partition, "is held:", time.Until(state.HeldUntil) > 50*time.Second)
	}
	// Output:
	// https://api.example.com is held: true
	// https://other.example.com is held: false
}

// failing returns an API in memory that answers everything with that.
func failing(status int, body string) http.RoundTripper {
	return &ratelimittest.Transport{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, body, status)
	})}
}

// Wrong: what a Transport learned from the responses is in it. One that is made
// for each request knows nothing, and finds the limit by running into it.
func ExampleTransport_incorrect() {
	base := server()
	for range 5 {
		client := &http.Client{Transport: &headway.Transport{Base: base, MaxRetries: -1}}
		resp, err := client.Get("https://api.example.com/things")
		if err != nil {
			fmt.Println(err)
			return
		}
		_ = resp.Body.Close()
		fmt.Println(resp.StatusCode)
	}
	// Output:
	// 200
	// 200
	// 200
	// 429
	// 429
}

func ExampleTransport_State() {
	transport := &headway.Transport{Base: server()}
	client := &http.Client{Transport: transport}
	resp, err := client.Get("https://api.example.com/things")
	if err != nil {
		fmt.Println(err)
		return
	}
	_ = resp.Body.Close()
	for _, partition := range transport.State() {
		for _, limit := range partition.Limits {
			fmt.Printf("%s %s: %d of %d per %v left\n", partition.Partition, limit.Policy, limit.Remaining, limit.Quota, limit.Window)
		}
	}
	// Output: https://api.example.com default: 2 of 3 per 1h0m0s left
}
