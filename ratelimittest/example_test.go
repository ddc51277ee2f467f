package ratelimittest_test

import (
	"fmt"
	"net/http"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/headway-go/headway/ratelimittest"
)

// A patientClient is the client under test in these examples: one that waits out
// every Retry-After and then sends its request again.
type patientClient struct{ base http.RoundTripper }

func (c patientClient) RoundTrip(req *http.Request) (*http.Response, error) {
	for {
		resp, err := c.base.RoundTrip(req)
		if err != nil || resp.StatusCode != http.StatusTooManyRequests {
			return resp, err
		}
		_ = resp.Body.Close()
		wait, err := strconv.Atoi(resp.Header.Get("Retry-After"))
		if err != nil {
			return nil, err
		}
		time.Sleep(time.Duration(wait) * time.Second)
	}
}

// How does a client stand up to a server that allows 100 requests per minute?
// In a bubble, a thousand requests take nine minutes and no time.
func Example() {
	t := new(testing.T) // a test function has its own
	synctest.Test(t, func(t *testing.T) {
		h := ratelimittest.NewHandler(ratelimittest.NewFixedWindow(100, time.Minute), ratelimittest.Draft10)
		server := &ratelimittest.Transport{Handler: h, Latency: 50 * time.Millisecond}
		client := &http.Client{Transport: patientClient{server}} // put your own here

		begun := time.Now()
		req, _ := http.NewRequest("GET", "http://api.test/items", nil)
		batch := ratelimittest.Batch{Requests: 1000, Workers: 16}
		batch.Send(client, req)
		took := time.Since(begun)

		arrivals := h.Log.Arrivals()
		best := batch.Optimum(ratelimittest.NewFixedWindow(100, time.Minute), begun, server.Latency)
		fmt.Printf("allowed %d, refused %d\n", len(arrivals.Allowed()), len(arrivals.Refused()))
		fmt.Printf("took %v, %.3f of the optimum\n", took, took.Seconds()/best.Seconds())
		fmt.Printf("busiest tenth of a window: %d, an even share is 10\n", arrivals.Busiest(6*time.Second))
	})
	// Output:
	// allowed 1000, refused 144
	// took 9m3.6s, 1.006 of the optimum
	// busiest tenth of a window: 116, an even share is 10
}

// The same server on a real socket, for clients that bring their own connections.
func ExampleNewServer() {
	srv := ratelimittest.NewServer(ratelimittest.NewFixedWindow(2, time.Hour), ratelimittest.Trio)
	defer srv.Close()

	for range 3 {
		resp, err := srv.Client().Get(srv.URL)
		if err != nil {
			fmt.Println(err)
			return
		}
		_ = resp.Body.Close()
		fmt.Println(resp.Status, "remaining:", resp.Header.Get("RateLimit-Remaining"))
	}
	fmt.Println("refused:", srv.Handler.Log.Refused())
	// Output:
	// 200 OK remaining: 1
	// 200 OK remaining: 0
	// 429 Too Many Requests remaining: 0
	// refused: 1
}

// A server that pushes back for a while although quota is left: the limiter
// inside reports, and the one around it refuses.
func ExampleLimiterFunc() {
	quota := ratelimittest.NewLinear(100, time.Minute)
	noon := time.Date(2030, time.January, 1, 12, 0, 0, 0, time.UTC)
	until := noon.Add(20 * time.Second)
	busy := ratelimittest.LimiterFunc(func(now time.Time, client string, cost int64) ratelimittest.Decision {
		if now.Before(noon) || !now.Before(until) {
			return quota.Take(now, client, cost)
		}
		d := quota.Take(now, client, 0)
		d.Allowed, d.RetryAfter = false, until.Sub(now)
		return d
	})

	for _, now := range []time.Time{noon.Add(-time.Second), noon, until} {
		h := http.Header{}
		d := busy.Take(now, "client", 1)
		ratelimittest.Draft10(h, now, d)
		ratelimittest.RetryAfterSeconds(h, now, d)
		fmt.Printf("%v %s, Retry-After %q\n", d.Allowed, h.Get("RateLimit"), h.Get("Retry-After"))
	}
	// Output:
	// true "default";r=99;t=60, Retry-After ""
	// false "default";r=100;t=60, Retry-After "20"
	// true "default";r=99;t=60, Retry-After ""
}

// A server whose clock is 20 seconds fast, which a client can see from Date.
func ExampleDialect() {
	fast := func(h http.Header, now time.Time, d ratelimittest.Decision) {
		now = now.Add(20 * time.Second)
		h.Set("Date", now.UTC().Format(http.TimeFormat))
		ratelimittest.XRateLimit(h, now, d)
	}

	now := time.Unix(1_700_000_000, 0)
	h := http.Header{}
	fast(h, now, ratelimittest.NewFixedWindow(10, time.Minute).Take(now, "client", 1))
	fmt.Println(h.Get("X-RateLimit-Reset"), h.Get("Date"))
	// Output: 1700000080 Tue, 14 Nov 2023 22:13:40 GMT
}
