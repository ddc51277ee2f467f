package headway_test

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/ratelimittest"
)

// Is the number in X-RateLimit-Reset a delay or a date, and in what unit? Its size tells;
// each of these servers means the same.
func ExampleTransport_reset() {
	for _, dialect := range []ratelimittest.Dialect{
		ratelimittest.XRateLimitDelta,   // 3600
		ratelimittest.XRateLimit,        // 1700003600
		ratelimittest.XRateLimitMillis,  // 1700003600000
		ratelimittest.XRateLimitRFC3339, // 2023-11-14T23:13:20Z
		ratelimittest.Dimensioned,       // 1h0m0s
	} {
		handler := ratelimittest.NewHandler(ratelimittest.NewFixedWindow(100, time.Hour), dialect)
		transport := &headway.Transport{Base: &ratelimittest.Transport{Handler: handler}}
		statusOf((&http.Client{Transport: transport}).Get(things))
		limit := transport.State()[0].Limits[0]
		fmt.Println(limit.Remaining, "left for", time.Until(limit.EndsBy).Round(time.Minute))
	}
	// Output:
	// 99 left for 1h0m0s
	// 99 left for 1h0m0s
	// 99 left for 1h0m0s
	// 99 left for 1h0m0s
	// 99 left for 1h0m0s
}

// The server's clock is half an hour slow, or the client's is fast. Points in time are
// compared with the response's own Date, so that it does not matter.
func ExampleTransport_clockSkew() {
	dialect := ratelimittest.Skewed(ratelimittest.XRateLimit, -30*time.Minute)
	handler := ratelimittest.NewHandler(ratelimittest.NewFixedWindow(100, time.Hour), dialect)
	transport := &headway.Transport{Base: &ratelimittest.Transport{Handler: handler}}
	statusOf((&http.Client{Transport: transport}).Get(things))
	limit := transport.State()[0].Limits[0]
	fmt.Println("resets in", time.Until(limit.EndsBy).Round(time.Minute))
	// Output: resets in 1h0m0s
}

// The quota is raised while the program runs. The next response tells.
func ExampleTransport_changes() {
	now := ratelimittest.NewFixedWindow(10, time.Hour)
	transport := &headway.Transport{Base: limited(ratelimittest.LimiterFunc(
		func(t time.Time, client string, cost int64) ratelimittest.Decision { return now.Take(t, client, cost) },
	))}
	client := &http.Client{Transport: transport}
	for range 2 {
		statusOf(client.Get(things))
		fmt.Println(transport.State()[0].Limits[0].Quota, "per hour")
		now = ratelimittest.NewFixedWindow(1000, time.Hour)
	}
	// Output:
	// 10 per hour
	// 1000 per hour
}

// Others use the same quota. What is left is what the server says, less what was sent since.
func ExampleTransport_others() {
	api := limited(ratelimittest.NewFixedWindow(100, time.Hour))
	transport := &headway.Transport{Base: api}
	client, other := &http.Client{Transport: transport}, &http.Client{Transport: api}
	for range 2 {
		statusOf(client.Get(things))
		fmt.Println(transport.State()[0].Limits[0].Remaining, "left")
		for range 20 {
			statusOf(other.Get(things))
		}
	}
	// Output:
	// 99 left
	// 78 left
}

// A server says that nothing is left. Does the program stop for good? No longer than until
// the time that the server tells, and not at all if it tells none, or one that has come.
func ExampleTransport_nothingLeft() {
	for _, reset := range []string{"", "0", "3600"} {
		client := &http.Client{Transport: &headway.Transport{
			Base:    answering("X-RateLimit-Remaining", "0", "X-RateLimit-Reset", reset),
			MaxWait: time.Minute,
		}}
		statusOf(client.Get(things))
		_, err := client.Get(things)
		if limit, ok := errors.AsType[*headway.LimitError](err); ok {
			fmt.Printf("%q: possible in %v\n", reset, limit.Wait.Round(time.Minute))
		} else {
			fmt.Printf("%q: sent\n", reset)
		}
	}
	// Output:
	// "": sent
	// "0": sent
	// "3600": possible in 1h0m0s
}
