package headway_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"time"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/ratelimittest"
)

// How much is left of which limit?
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

// Why does a request wait, for how long, and whose is it? Hooks get the request's context.
func ExampleTrace() {
	type user struct{} // a context key of the program's own
	ctx, cancel := context.WithCancel(context.WithValue(context.Background(), user{}, "alice"))
	client := &http.Client{Transport: &headway.Transport{
		Base:  limited(ratelimittest.NewFixedWindow(60, time.Hour)),
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

// What does a log show that is not to show every request? At level Info: holds, what was
// refused, and what is wrong with a server's fields.
func ExampleTransport_logger() {
	handler := slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr { // for this example: the same each time
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
	// level=INFO msg="header field is ignored or clamped" partition=https://api.example.com field=RateLimit reason="validate: RateLimit: malformed: required parameter is missing"
	// level=INFO msg="partition is held" partition=https://api.example.com status=429 hold=1h0m0s
	// level=WARN msg="request is refused" partition=https://api.example.com policy="" wait=1h0m0s reason="headway: wait is longer than MaxWait"
}

// What would headway do to a program? In its shadow it decides and tells, and delays,
// refuses and resends nothing.
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
