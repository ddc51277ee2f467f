package headway_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"sync"
	"time"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/ratelimittest"
)

// What becomes of a request that cannot start before its deadline? It is not kept
// waiting for that, but refused at once, and never sent.
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

// Does a program sleep for a day because a server says so? Not with MaxWait: what would
// have to wait longer is refused at once. It is not sent any earlier, either.
func ExampleTransport_maxWait() {
	client := &http.Client{Transport: &headway.Transport{
		Base:    throttling("Retry-After", "86400"),
		MaxWait: 5 * time.Minute,
	}}
	fmt.Println(statusOf(client.Get(things))) // the server's answer, as it came
	_, err := client.Get(things)              // the server is not asked
	if limit, ok := errors.AsType[*headway.LimitError](err); ok {
		fmt.Println("longer than MaxWait:", errors.Is(err, headway.ErrMaxWait))
		fmt.Println("possible in", limit.Wait.Round(time.Hour))
	}
	// Output:
	// 429 Too Many Requests
	// longer than MaxWait: true
	// possible in 24h0m0s
}

// An SDK retries by itself, and knows what to do with a 429 but not with an error of a
// type that it has never seen. Give it responses.
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

// Does a request that is cancelled while it waits take a slot from others? It leaves the
// queue, and nothing of the quota is spent.
func ExampleTransport_cancel() {
	ctx, cancel := context.WithCancel(context.Background())
	transport := &headway.Transport{
		Base: server(),
		Trace: &headway.Trace{
			Waiting: func(_ context.Context, w headway.WaitingInfo) {
				fmt.Println("waits, one of", w.Queue)
				cancel()
			},
		},
	}
	client := &http.Client{Transport: transport}
	var err error
	for err == nil {
		req, _ := http.NewRequestWithContext(ctx, http.MethodGet, things, http.NoBody)
		var resp *http.Response
		if resp, err = client.Do(req); err == nil {
			_ = resp.Body.Close()
		}
	}
	fmt.Println(errors.Is(err, context.Canceled))
	state := transport.State()[0]
	fmt.Println("waiting:", state.Waiting, "left:", state.Limits[0].Remaining)
	// Output:
	// waits, one of 1
	// true
	// waiting: 0 left: 1
}

// Which of the requests that wait goes first? The one of the highest priority, and among
// equals the one that came first.
func ExampleWithPriority() {
	transport := &headway.Transport{Base: printing(ratelimittest.NewConcurrency(1))} // one at a time
	client := &http.Client{Transport: transport}
	first, err := client.Get("https://api.example.com/first")
	if err != nil {
		fmt.Println(err)
		return
	}
	var all sync.WaitGroup
	for priority, path := range []string{"/crawl", "/page", "/click"} {
		all.Go(func() {
			ctx := headway.WithPriority(context.Background(), priority)
			req, _ := http.NewRequestWithContext(ctx, http.MethodGet, "https://api.example.com"+path, http.NoBody)
			statusOf(client.Do(req))
		})
		for transport.State()[0].Waiting <= priority { // until it is in the queue
			runtime.Gosched()
		}
	}
	_ = first.Body.Close() // now the others may go
	all.Wait()
	// Output:
	// /first
	// /click
	// /page
	// /crawl
}
