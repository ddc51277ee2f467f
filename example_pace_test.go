package headway_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"golang.org/x/time/rate"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/ratelimittest"
)

// Does a client use up 60 requests per hour at once, and then stand still for the rest of the hour? No: it sends one each
// minute.
func ExampleTransport_evenly() {
	client := &http.Client{Transport: &headway.Transport{
		Base:    limited(&ratelimittest.FixedWindow{Policy: ratelimittest.Per(60, time.Hour)}),
		Burst:   -1, // by default a tenth of the quota may go at once
		MaxWait: time.Second,
	}}
	for range 3 { // the first response reports the limit
		_, err := client.Get(things)
		limit, refused := errors.AsType[*headway.LimitError](err)
		if refused {
			fmt.Println("possible in", limit.Wait.Round(time.Minute))
		} else {
			fmt.Println("sent")
		}
	}
	// Output:
	// sent
	// sent
	// possible in 1m0s
}

// Does headway slow down a program that is far from its limit? No: an idle client may send a tenth of the quota at once,
// and a client that calls now and then never waits.
func ExampleTransport_headroom() {
	waited := 0
	client := &http.Client{Transport: &headway.Transport{
		Base: limited(&ratelimittest.FixedWindow{Policy: ratelimittest.Per(5000, time.Hour)}),
		Trace: &headway.Trace{
			Waiting: func(context.Context, headway.WaitingInfo) { waited++ },
		},
	}}
	for range 100 {
		statusOf(client.Get(things))
	}
	fmt.Println("100 sent,", waited, "had to wait")
	// Output: 100 sent, 0 had to wait
}

// Work comes in bursts, with idle time in between. Can a burst go at once while the client is far from the limit? Yes, with
// PaceMeasured.
func ExamplePacing() {
	for _, row := range []struct {
		name   string
		pacing headway.Pacing
	}{
		{"evenly", headway.PaceEvenly},
		{"measured", headway.PaceMeasured},
	} {
		client := &http.Client{Transport: &headway.Transport{
			Base:    limited(&ratelimittest.FixedWindow{Policy: ratelimittest.Per(60, time.Hour)}),
			Pacing:  row.pacing,
			MaxWait: time.Second, // refuses the requests that could not go at once
		}}
		sent := 0
		for range 30 {
			if statusOf(client.Get(things)) == "200 OK" {
				sent++
			}
		}
		fmt.Printf("%s: all 30 at once: %t\n", row.name, sent == 30)
	}
	// Output:
	// evenly: all 30 at once: false
	// measured: all 30 at once: true
}

// An API has a limit per second, one per minute and one per day. Which one counts? All of them: the strictest at the moment
// sets the pace.
func ExampleTransport_windows() {
	transport := &headway.Transport{Base: limited(ratelimittest.All(
		&ratelimittest.FixedWindow{Policy: ratelimittest.Policy{Name: "second", Quota: 10, Window: time.Second}},
		&ratelimittest.FixedWindow{Policy: ratelimittest.Policy{Name: "minute", Quota: 300, Window: time.Minute}},
		&ratelimittest.FixedWindow{Policy: ratelimittest.Policy{Name: "day", Quota: 5000, Window: 24 * time.Hour}},
	))}
	client := &http.Client{Transport: transport}
	fmt.Println(statusOf(client.Get(things)))
	for _, l := range transport.State()[0].Limits {
		fmt.Printf("%s: %d per %v\n", l.Policy, l.Quota, l.Window)
	}
	// Output:
	// 200 OK
	// second: 10 per 1s
	// minute: 300 per 1m0s
	// day: 5000 per 24h0m0s
}

// Ten workers, such as those of a Terraform run, have a thousand requests for an API that allows 100 per minute. How many
// are refused, and how can a test show that without waiting ten minutes? Package ratelimittest runs it in virtual time.
func ExampleTransport_workers() {
	t := new(testing.T) // a test function has its own
	f := ratelimittest.Run(t, ratelimittest.Scenario{
		Limiter: &ratelimittest.FixedWindow{Policy: ratelimittest.Per(100, time.Minute)},
		NewClient: func(base http.RoundTripper) *http.Client {
			return &http.Client{Transport: &headway.Transport{Base: base}}
		},
		Load:    ratelimittest.Batch{Requests: 1000, Workers: 10},
		Latency: 50 * time.Millisecond,
	})
	fmt.Println("served:", f.Served, "refused:", f.Refused)
	// Output: served: 1000 refused: 0
}

// How does a program set its own limit over everything that it sends? With a Ceiling, which may change while it runs.
func ExampleTransport_ceiling() {
	ceiling := rate.NewLimiter(rate.Every(time.Hour), 2) // two at once, then one per hour
	client := &http.Client{Transport: &headway.Transport{
		Base:    failing(http.StatusNotFound, "no limits are told here"),
		Ceiling: ceiling,
		MaxWait: time.Minute,
	}}
	for range 3 {
		fmt.Println(statusOf(client.Get(things)))
	}
	ceiling.SetLimit(1000)
	fmt.Println(statusOf(client.Get(things)))
	// Output:
	// 404 Not Found
	// 404 Not Found
	// not sent
	// 404 Not Found
}

// Is the number in X-RateLimit-Reset a delay or a date, and in what unit? Its size decides. All these servers mean the same
// time.
func ExampleTransport_reset() {
	for _, dialect := range []ratelimittest.Dialect{
		ratelimittest.Fields("X-RateLimit-Limit: {limit}", "X-RateLimit-Remaining: {remaining}", "X-RateLimit-Reset: {reset}"), // 3600
		ratelimittest.XRateLimit, // 1700003600
		ratelimittest.Fields("X-RateLimit-Limit: {limit}", "X-RateLimit-Remaining: {remaining}", "X-RateLimit-Reset: {unix-ms}"),                       // 1700003600000
		ratelimittest.Fields("X-RateLimit-Limit: {limit}", "X-RateLimit-Remaining: {remaining}", "X-RateLimit-Reset: {rfc3339}"),                       // 2023-11-14T23:13:20Z
		ratelimittest.Fields("X-RateLimit-Limit-{unit}: {limit}", "X-RateLimit-Remaining-{unit}: {remaining}", "X-RateLimit-Reset-{unit}: {duration}"), // 1h0m0s
	} {
		handler := &ratelimittest.Handler{Limiter: &ratelimittest.FixedWindow{Policy: ratelimittest.Per(100, time.Hour)}, Dialect: dialect}
		transport := &headway.Transport{Base: &ratelimittest.Transport{Handler: handler}}
		statusOf((&http.Client{Transport: transport}).Get(things))
		limit := transport.State()[0].Limits[0]
		fmt.Println(limit.Remaining, "left for", time.Until(limit.LatestEnd).Round(time.Minute))
	}
	// Output:
	// 99 left for 1h0m0s
	// 99 left for 1h0m0s
	// 99 left for 1h0m0s
	// 99 left for 1h0m0s
	// 99 left for 1h0m0s
}

// The server's clock is half an hour slow, or the client's clock is fast. Does that matter? No: a reset that is a date is
// compared with the Date of its response.
func ExampleTransport_clockSkew() {
	dialect := ratelimittest.Dialect(ratelimittest.XRateLimit).Skewed(-30 * time.Minute)
	handler := &ratelimittest.Handler{Limiter: &ratelimittest.FixedWindow{Policy: ratelimittest.Per(100, time.Hour)}, Dialect: dialect}
	transport := &headway.Transport{Base: &ratelimittest.Transport{Handler: handler}}
	statusOf((&http.Client{Transport: transport}).Get(things))
	limit := transport.State()[0].Limits[0]
	fmt.Println("resets in", time.Until(limit.LatestEnd).Round(time.Minute))
	// Output: resets in 1h0m0s
}

// The quota is raised while the program runs. When does headway notice? With the next response.
func ExampleTransport_changes() {
	now := &ratelimittest.FixedWindow{Policy: ratelimittest.Per(10, time.Hour)}
	transport := &headway.Transport{Base: limited(ratelimittest.LimiterFunc(
		func(t time.Time, client string, cost int64) ratelimittest.Decision { return now.Take(t, client, cost) },
	))}
	client := &http.Client{Transport: transport}
	for range 2 {
		statusOf(client.Get(things))
		fmt.Println(transport.State()[0].Limits[0].Quota, "per hour")
		now = &ratelimittest.FixedWindow{Policy: ratelimittest.Per(1000, time.Hour)}
	}
	// Output:
	// 10 per hour
	// 1000 per hour
}

// Other clients use the same quota. What is the remaining quota? What the server reported last, less what was sent since.
func ExampleTransport_others() {
	api := limited(&ratelimittest.FixedWindow{Policy: ratelimittest.Per(100, time.Hour)})
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

// A server reports a remaining quota of 0. Does the program stop for good? No: it waits for the reset that the server
// reports, and not at all if there is no reset or the reset has passed.
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
