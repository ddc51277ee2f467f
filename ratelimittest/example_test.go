package ratelimittest_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/headway-go/headway/ratelimittest"
)

// A patientClient is the client under test in these examples: it waits for each Retry-After and then resends
// its request.
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

// How does a client behave at a server that allows 100 requests per minute? A thousand requests take nine
// minutes of virtual time, and no real time.
func Example() {
	t := new(testing.T) // the T of your test function
	f := ratelimittest.Run(t, ratelimittest.Scenario{
		Limiter: &ratelimittest.FixedWindow{Policy: ratelimittest.Per(100, time.Minute)},
		NewClient: func(base http.RoundTripper) *http.Client {
			return &http.Client{Transport: patientClient{base}} // your own client
		},
		Load:    ratelimittest.Batch{Requests: 1000, Workers: 16},
		Latency: 50 * time.Millisecond,
	})
	fmt.Printf("allowed %d, refused %d\n", f.Allowed, f.Refused)
	fmt.Printf("took %v, %.3f of the optimum\n", f.Took, f.Slowdown())
	fmt.Printf("busiest tenth of a window: %d, an even share is 10\n", f.Arrivals.Busiest(6*time.Second))
	// Output:
	// allowed 1000, refused 144
	// took 9m3.6s, 1.006 of the optimum
	// busiest tenth of a window: 116, an even share is 10
}

// An SDK with methods of its own, and with a goroutine that Close ends.
func ExampleScenario() {
	t := new(testing.T)
	var sdk *queueingSDK
	f := ratelimittest.Run(t, ratelimittest.Scenario{
		Limiter: &ratelimittest.Linear{Policy: ratelimittest.Per(100, time.Minute)},
		NewCall: func(network *http.Client) func(context.Context) error {
			sdk = newQueueingSDK(&http.Client{Transport: patientClient{network.Transport}})
			return sdk.Ping
		},
		Close: func() { sdk.Close() },
		Load:  ratelimittest.Batch{Requests: 300, Workers: 16},
	})
	fmt.Println("served", f.Served, "in", f.Took.Round(time.Second))
	// Output: served 300 in 2m0s
}

// A queueingSDK sends its requests from its own goroutine.
type queueingSDK struct {
	network *http.Client
	queue   chan func()
}

func newQueueingSDK(network *http.Client) *queueingSDK {
	sdk := &queueingSDK{network, make(chan func())}
	go func() {
		for send := range sdk.queue {
			send()
		}
	}()
	return sdk
}

func (sdk *queueingSDK) Ping(ctx context.Context) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://api.test/ping", http.NoBody)
	if err != nil {
		return err
	}
	answered := make(chan error)
	sdk.queue <- func() {
		resp, err := sdk.network.Do(req)
		if err == nil {
			err = resp.Body.Close()
		}
		answered <- err
	}
	return <-answered
}

func (sdk *queueingSDK) Close() { close(sdk.queue) }

// Checks for a client that should be both polite and fast. This client sends its whole quota at once, and
// fails some of them.
func ExampleFigures() {
	t := new(testing.T)
	f := ratelimittest.Run(t, ratelimittest.Scenario{
		Limiter:   &ratelimittest.FixedWindow{Policy: ratelimittest.Per(100, time.Minute)},
		NewClient: func(base http.RoundTripper) *http.Client { return &http.Client{Transport: patientClient{base}} },
		Load:      ratelimittest.Batch{Requests: 1000, Workers: 16},
		Latency:   50 * time.Millisecond,
	})
	for _, check := range []struct {
		what string
		ok   bool // states what must hold, because comparisons with NaN are false
	}{
		{"every call is served", f.Served == f.Made},
		{"at most 1 in 1000 is refused", f.RefusedPerMille() <= 1},
		{"a quarter slower than the optimum at most", f.Slowdown() <= 1.25},
		{"nine tenths of the quota are used", f.Used >= 0.9},
		{"no tenth of a window has three times its share", f.Arrivals.Busiest(6*time.Second) <= 30},
		{"the gaps are even", f.GapCV <= 0.2},
		{"nothing is idle for long", f.LongestGap <= 6*time.Second},
	} {
		fmt.Println(check.ok, check.what) // in a test: if !check.ok { t.Error(f) }
	}
	// Output:
	// true every call is served
	// false at most 1 in 1000 is refused
	// true a quarter slower than the optimum at most
	// true nine tenths of the quota are used
	// false no tenth of a window has three times its share
	// false the gaps are even
	// false nothing is idle for long
}

// A server whose clock is 20 seconds fast, and which reports five requests more than there are.
func ExampleDialect() {
	lying := ratelimittest.Dialect(ratelimittest.XRateLimit).
		Claiming(func(l *ratelimittest.Limit) { l.Remaining += 5 }).
		Skewed(20 * time.Second)

	now := time.Unix(1_700_000_000, 0)
	h := http.Header{}
	lying(h, now, (&ratelimittest.FixedWindow{Policy: ratelimittest.Per(10, time.Minute)}).Take(now, "client", 1))
	fmt.Println(h.Get("X-RateLimit-Remaining"), h.Get("X-RateLimit-Reset"), h.Get("Date"))
	// Output: 14 1700000080 Tue, 14 Nov 2023 22:13:40 GMT
}

// A connection that breaks in the middle of every third response.
func ExampleFault() {
	t := new(testing.T)
	f := ratelimittest.Run(t, ratelimittest.Scenario{
		Next:  http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "a whole response") }),
		Front: ratelimittest.Fault{Every: 3, CutAfter: 7}.Wrap,
		Load:  ratelimittest.Batch{Requests: 9},
	})
	for _, o := range f.Outcomes[0][:3] {
		fmt.Println(o.Status, o.Err)
	}
	// Output:
	// 200 <nil>
	// 200 <nil>
	// 200 unexpected EOF
}

// The same server on a real socket, for clients that open their own connections.
func ExampleNewServer() {
	srv := ratelimittest.NewServer(&ratelimittest.FixedWindow{Policy: ratelimittest.Per(2, time.Hour)}, ratelimittest.Trio)
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
	fmt.Println("refused:", len(srv.Handler.Arrivals().Refused()))
	// Output:
	// 200 OK remaining: 1
	// 200 OK remaining: 0
	// 429 Too Many Requests remaining: 0
	// refused: 1
}
