package headway_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/parse"
	"github.com/headway-go/headway/ratelimittest"
)

// model returns an API with 500 requests and 10,000 tokens per hour, which counts for each
// request as many tokens as it is told by Test-Tokens.
func model() http.RoundTripper {
	tokens := ratelimittest.NewHandler(&ratelimittest.FixedWindow{Policy: ratelimittest.Policy{
		Name: "tokens", Unit: "tokens", Quota: 10_000, Window: time.Hour,
	}}, ratelimittest.Draft10)
	tokens.Cost = func(req *http.Request) int64 {
		n, _ := strconv.ParseInt(req.Header.Get("Test-Tokens"), 10, 64)
		return n
	}
	requests := ratelimittest.NewHandler(&ratelimittest.FixedWindow{Policy: ratelimittest.Policy{
		Name: "requests", Quota: 500, Window: time.Hour,
	}}, ratelimittest.Draft10)
	requests.Next = tokens
	return &ratelimittest.Transport{Handler: requests}
}

// An API for a language model limits requests and tokens. Reserve the tokens that a prompt
// and its answer may take: both limits are kept at once.
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

// What a call costs is known only afterwards. An estimate is reserved as it goes, and what
// the server then says is left corrects it.
func ExampleTransport_cost() {
	transport := &headway.Transport{
		Base: model(),
		Cost: func(_ *http.Request, unit parse.Unit) int64 {
			if unit == "tokens" {
				return 4000 // the most that an answer may have
			}
			return -1 // as usual: one request
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
		req.Header.Set("Test-Tokens", "150") // what it really takes
		fmt.Println(statusOf((&http.Client{Transport: transport}).Do(req)), "with", left(), "left")
	}
	// Output:
	// 200 OK with 9850 left
	// sent, with 5850 tokens left
	// 200 OK with 9700 left
}

// A server limits requests in flight, not their rate. A place is free again at the end of
// a response's body, and whoever waits for one can be cancelled.
func ExampleTransport_concurrency() {
	ctx, cancel := context.WithCancel(context.Background())
	transport := &headway.Transport{
		Base: printing(ratelimittest.NewConcurrency(2)),
		Trace: &headway.Trace{
			Waiting: func(_ context.Context, w headway.WaitingInfo) {
				fmt.Println("waits for", w.Cause)
				cancel()
			},
		},
	}
	client := &http.Client{Transport: transport}
	one, _ := client.Get("https://api.example.com/1")
	two, _ := client.Get("https://api.example.com/2")
	req, _ := http.NewRequestWithContext(ctx, http.MethodGet, "https://api.example.com/3", http.NoBody)
	_, err := client.Do(req)
	fmt.Println(errors.Is(err, context.Canceled))
	_ = one.Body.Close()
	fmt.Println(statusOf(client.Get("https://api.example.com/4")))
	_ = two.Body.Close()
	fmt.Println("in flight:", transport.State()[0].InFlight)
	// Output:
	// /1
	// /2
	// waits for places
	// true
	// /4
	// 200 OK
	// in flight: 0
}

// Wrong: a body that is not closed. Its request stays in flight, and keeps the place from
// all others.
func ExampleTransport_incorrectBody() {
	client := &http.Client{Transport: &headway.Transport{Base: printing(ratelimittest.NewConcurrency(1))}}
	resp, err := client.Get("https://api.example.com/1")
	fmt.Println(resp.Status, err)

	client.Timeout = 50 * time.Millisecond
	_, err = client.Get("https://api.example.com/2")
	fmt.Println(errors.Is(err, context.DeadlineExceeded))
	// Output:
	// /1
	// 200 OK <nil>
	// true
}

// Wrong: a cost in a unit that the server does not name. Names of units are compared
// letter by letter, so that this one is never asked for.
func ExampleWithCost_incorrect() {
	transport := &headway.Transport{Base: model()}
	ctx := headway.WithCost(context.Background(), "Tokens", 9000)
	req, _ := http.NewRequestWithContext(ctx, http.MethodPost, things, http.NoBody)
	fmt.Println(statusOf((&http.Client{Transport: transport}).Do(req)))
	for _, l := range transport.State()[0].Limits {
		fmt.Println("the server's unit:", l.Unit)
	}
	// Output:
	// 200 OK
	// the server's unit: requests
	// the server's unit: tokens
}
