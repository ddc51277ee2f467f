package headway_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/ratelimittest"
)

// What happens to a request that cannot start before its deadline? It is refused at once and never sent.
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

// An SDK retries by itself. It can handle a 429, but not an error type that it does not know. RefuseWithResponse gives it a
// response.
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

// Which of the waiting requests goes first? The one with the highest priority, and among equals the one that came first.
func ExampleWithPriority() {
	transport := &headway.Transport{Base: printing(&ratelimittest.Concurrency{Policy: ratelimittest.Policy{Quota: 1}})} // one at a time
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
	_ = first.Body.Close() // now the next one may go
	all.Wait()
	// Output:
	// /first
	// /click
	// /page
	// /crawl
}

// How does a click give up after two seconds, while a nightly job waits for hours? The wait is bounded, not the response.
func ExampleWithMaxWait() {
	client := &http.Client{Transport: &headway.Transport{Base: limited(&ratelimittest.FixedWindow{Policy: ratelimittest.Per(1, time.Hour)}), MaxWait: -1}}
	fmt.Println(statusOf(client.Get("https://api.example.com/items"))) // the next one may go in an hour
	ctx := headway.WithMaxWait(context.Background(), 2*time.Second)
	req, _ := http.NewRequestWithContext(ctx, http.MethodGet, "https://api.example.com/items", http.NoBody)
	_, err := client.Do(req)
	fmt.Println(errors.Is(err, headway.ErrMaxWait))
	// Output:
	// 200 OK
	// true
}

// How much of each quota is left?
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

// Why does a request wait, for how long, and whose request is it? A Trace has hooks, which get the request's context.
func ExampleTrace() {
	type user struct{} // a context key of the program's own
	ctx, cancel := context.WithCancel(context.WithValue(context.Background(), user{}, "alice"))
	client := &http.Client{Transport: &headway.Transport{
		Base:  limited(&ratelimittest.FixedWindow{Policy: ratelimittest.Per(60, time.Hour)}),
		Burst: -1,
		Trace: &headway.Trace{
			Sent: func(ctx context.Context, _ headway.SentInfo) { fmt.Println(ctx.Value(user{}), "sends") },
			Waiting: func(ctx context.Context, w headway.WaitingInfo) {
				fmt.Printf("%v waits %v for the %s of %q\n", ctx.Value(user{}), w.Wait.Round(time.Minute), w.Cause, w.Policy)
				cancel() // or this example would take a minute
			},
			Abandoned: func(ctx context.Context, _ headway.SentInfo) { fmt.Println(ctx.Value(user{}), "gives up") },
		},
	}}
	for ctx.Err() == nil {
		req, _ := http.NewRequestWithContext(ctx, http.MethodGet, things, http.NoBody)
		statusOf(client.Do(req))
	}
	// Output:
	// alice sends
	// alice sends
	// alice waits 1m0s for the pace of "default"
	// alice gives up
}

// What does a log show if it must not show every request? Level Info has holds, long waits, requests that are not sent, and
// what is wrong with header fields of a server.
func ExampleTransport_logger() {
	handler := slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr { // makes the output of this example the same each time
			switch {
			case a.Key == slog.TimeKey:
				return slog.Attr{}
			case a.Value.Kind() == slog.KindDuration:
				return slog.Duration(a.Key, a.Value.Duration().Round(time.Minute))
			}
			return a
		},
	})
	client := &http.Client{Transport: &headway.Transport{
		Base:    throttling("Retry-After", "3600", "RateLimit", "none"),
		MaxWait: time.Minute,
		Logger:  slog.New(handler),
	}}
	for range 2 {
		statusOf(client.Get(things))
	}
	// Output:
	// level=INFO msg="header field is ignored or clamped" partition=https://api.example.com field=RateLimit reason="validate: RateLimit: malformed: required value is missing"
	// level=INFO msg="server refused a request: nothing is sent until the hold ends" partition=https://api.example.com status=429 hold=1h0m0s
	// level=WARN msg="request is not sent" partition=https://api.example.com cause=hold wait=1h0m0s reason="the wait is longer than MaxWait"
}

// What would headway do to a program? A Transport with Shadow reports what it would do. It delays, refuses and resends
// nothing.
func ExampleTransport_shadow() {
	refused := 0
	client := &http.Client{Transport: &headway.Transport{
		Base:    server(),
		Shadow:  true,
		MaxWait: time.Minute,
		Trace: &headway.Trace{
			Refused: func(context.Context, *headway.LimitError) { refused++ },
		},
	}}
	for range 5 {
		fmt.Println(statusOf(client.Get(things)))
	}
	fmt.Println("would have been refused:", refused)
	// Output:
	// 200 OK
	// 200 OK
	// 200 OK
	// 429 Too Many Requests
	// 429 Too Many Requests
	// would have been refused: 3
}

// A job that does not fit before its deadline is refused before its first request, instead of at its last tenth.
func ExampleTransport_Forecast() {
	transport := &headway.Transport{Base: server()} // 3 requests per hour
	client := &http.Client{Transport: transport}
	resp, err := client.Get("https://api.example.com/things") // the first response reports the limit
	if err != nil {
		fmt.Println(err)
		return
	}
	_ = resp.Body.Close()

	req, err := http.NewRequest(http.MethodGet, "https://api.example.com/things", http.NoBody)
	if err != nil {
		fmt.Println(err)
		return
	}
	deadline := time.Now().Add(time.Hour)
	for _, job := range []int{2, 20} {
		forecast := transport.Forecast(req, job)
		if forecast.Last.IsZero() || forecast.Last.After(deadline) {
			fmt.Println(job, "requests do not fit, as is", forecast.Certainty)
			continue
		}
		fmt.Println(job, "requests fit") // send them here
	}
	// Output:
	// 2 requests fit
	// 20 requests do not fit, as is known
}
