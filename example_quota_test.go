package headway_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/ratelimittest"
)

// Do two users of one program slow each other down? No: each credential has a partition of its own for each origin. The
// name of the partition reveals nothing about the credential.
func ExampleDefaultPartition() {
	names := map[string]bool{}
	for _, token := range []string{"alice's secret", "bob's secret", "alice's secret"} {
		req, _ := http.NewRequest(http.MethodGet, "https://API.example.com:443/things", http.NoBody)
		req.Header.Set("Authorization", "Bearer "+token)
		name := headway.DefaultPartition(req)
		names[name] = true
		fmt.Println(strings.HasPrefix(name, "https://api.example.com#"), strings.Contains(name, "secret"))
	}
	fmt.Println(len(names), "partitions")
	// Output:
	// true false
	// true false
	// true false
	// 2 partitions
}

// A server has a separate limit for searches, and none for health checks. How does headway know? By Partition.
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
		fmt.Println(statusOf(client.Get("https://api.example.com" + path)))
	}
	for _, state := range transport.State() {
		fmt.Println(state.Partition)
	}
	// Output:
	// 200 OK
	// 200 OK
	// 200 OK
	// https://api.example.com
	// https://api.example.com search
}

// The quota for searches is used up for an hour. Does everything else wait, too? No: a limit does not apply to routes whose
// responses leave it out. This needs no Partition.
func ExampleTransport_routes() {
	search := &ratelimittest.Handler{Limiter: &ratelimittest.FixedWindow{
		Policy: ratelimittest.Policy{Name: "search", Quota: 1, Window: time.Hour},
	}, Dialect: ratelimittest.Draft10}
	core := &ratelimittest.Handler{Limiter: &ratelimittest.FixedWindow{
		Policy: ratelimittest.Policy{Name: "core", Quota: 5000, Window: time.Hour},
	}, Dialect: ratelimittest.Draft10}
	api := http.NewServeMux()
	api.Handle("/search", search)
	api.Handle("/things/{id}", core)

	client := &http.Client{Transport: &headway.Transport{
		Base:    &ratelimittest.Transport{Handler: api},
		MaxWait: time.Minute,
	}}
	for _, path := range []string{"/things/1", "/search", "/search", "/things/2"} {
		fmt.Println(path, statusOf(client.Get("https://api.example.com"+path)))
	}
	// Output:
	// /things/1 200 OK
	// /search 200 OK
	// /search not sent
	// /things/2 200 OK
}

// model returns an API with 500 requests and 10,000 tokens per hour. A request costs as many tokens as its header field
// Test-Tokens says.
func model() http.RoundTripper {
	tokens := &ratelimittest.Handler{Limiter: &ratelimittest.FixedWindow{Policy: ratelimittest.Policy{
		Name: "tokens", Unit: "tokens", Quota: 10_000, Window: time.Hour,
	}}, Dialect: ratelimittest.Draft10}
	tokens.Cost = func(req *http.Request) int64 {
		n, _ := strconv.ParseInt(req.Header.Get("Test-Tokens"), 10, 64)
		return n
	}
	requests := &ratelimittest.Handler{Limiter: &ratelimittest.FixedWindow{Policy: ratelimittest.Policy{
		Name: "requests", Quota: 500, Window: time.Hour,
	}}, Dialect: ratelimittest.Draft10}
	requests.Next = tokens
	return &ratelimittest.Transport{Handler: requests}
}

// An API of a language model limits requests and tokens. How are both limits kept? Reserve the tokens that a prompt and its
// answer may take.
func ExampleWithCost() {
	client := &http.Client{Transport: &headway.Transport{Base: model(), MaxWait: time.Second}}
	for _, tokens := range []int64{500, 9000, 900} {
		ctx := headway.WithCost(context.Background(), "tokens", tokens)
		req, _ := http.NewRequestWithContext(ctx, http.MethodPost, things, http.NoBody)
		req.Header.Set("Test-Tokens", strconv.FormatInt(tokens, 10))
		resp, err := client.Do(req)
		if limit, ok := errors.AsType[*headway.LimitError](err); ok {
			fmt.Println(tokens, "tokens wait for the limit on", limit.Policy)
			continue
		}
		fmt.Println(tokens, "tokens:", statusOf(resp, err))
	}
	// Output:
	// 500 tokens: 200 OK
	// 9000 tokens: 200 OK
	// 900 tokens wait for the limit on tokens
}

// The cost of a call is known only afterwards. What to reserve? An estimate: the remaining quota in the response corrects
// it.
func ExampleTransport_cost() {
	transport := &headway.Transport{
		Base: model(),
		Cost: func(_ *http.Request, unit limits.Unit) int64 {
			if unit == "tokens" {
				return 4000 // the most tokens that an answer may have
			}
			return -1 // the default: one request
		},
	}
	left := func() int64 { return transport.State()[0].Limits[1].Remaining }
	transport.Trace = &headway.Trace{
		Sent: func(context.Context, headway.SentInfo) {
			if len(transport.State()[0].Limits) > 0 {
				fmt.Println("sent, with", left(), "tokens left")
			}
		},
	}
	for range 2 {
		req, _ := http.NewRequest(http.MethodPost, things, http.NoBody)
		req.Header.Set("Test-Tokens", "150") // the real cost
		fmt.Println(statusOf((&http.Client{Transport: transport}).Do(req)), "with", left(), "left")
	}
	// Output:
	// 200 OK with 9850 left
	// sent, with 5850 tokens left
	// 200 OK with 9700 left
}
