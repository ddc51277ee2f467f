// Quickstart shows what headway does. It sends one batch of requests twice, to servers that allow 50 requests
// in 5 seconds: through a client that retries when it is refused, and through headway. Then it draws when the
// requests arrived.
//
//	go run ./examples/quickstart
package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"time"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/ratelimittest"
)

// The servers' limit, and a slice of the picture.
const (
	quota  = 50
	window = 5 * time.Second
	tenth  = window / 10
)

func newLimiter() ratelimittest.Limiter {
	return &ratelimittest.FixedWindow{Policy: ratelimittest.Per(quota, window)}
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program at once
	err := run(ctx, newScreen(os.Stdout), newScreen(os.Stderr))
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "quickstart:", err)
		os.Exit(1)
	}
}

// run starts a server for each client, and runs the race.
func run(ctx context.Context, out, status screen) error {
	servers := [2]*ratelimittest.Server{}
	for i := range servers {
		servers[i] = ratelimittest.NewServer(newLimiter(), ratelimittest.Draft10)
		defer servers[i].Close()
	}
	return show(ctx, out, status, ratelimittest.Batch{Requests: 170, Workers: 16}, []contender{
		retrying(http.DefaultTransport, servers[0].URL, servers[0].Handler),
		paced(&headway.Transport{}, servers[1].URL, servers[1].Handler),
	})
}

func retrying(base http.RoundTripper, url string, server *ratelimittest.Handler) contender {
	return contender{
		name:   "retrying",
		about:  "sends at once; refused, it waits for Retry-After and sends again",
		client: &http.Client{Transport: &retrier{base}},
		url:    url,
		log:    server,
	}
}

func paced(transport *headway.Transport, url string, server *ratelimittest.Handler) contender {
	return contender{
		name:   "headway",
		about:  "http.Client{Transport: &headway.Transport{}}",
		first:  "the first burst",
		client: &http.Client{Transport: transport},
		url:    url,
		log:    server,
	}
}

// show sends the batch through the contenders, and draws what their servers received.
func show(ctx context.Context, out, status screen, batch ratelimittest.Batch, contenders []contender) error {
	_, err := fmt.Fprintf(out, "The same %d requests from %d workers, to servers that allow %d per %.0f s\n",
		batch.Requests, batch.Workers, quota, window.Seconds())
	if err != nil {
		return err
	}
	stop := status.progress(batch, contenders)
	results := race(ctx, batch, contenders)
	stop()
	if ctx.Err() != nil {
		return errors.New("stopped")
	}
	_, err = fmt.Fprint(out, out.timelines(results), "\n", out.table(batch, results))
	return errors.Join(err, failures(results))
}
