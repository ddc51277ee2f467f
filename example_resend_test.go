package headway_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/validate"
)

// What does a caller see of a 429? Nothing: the request waits and is sent again. Some SDKs, such as go-github, return an
// error by themselves once a quota is used up; examples/sdks shows how to turn that off.
func ExampleTransport_resend() {
	client := &http.Client{Transport: &headway.Transport{
		Base: throttlingFirst(),
		Trace: &headway.Trace{
			Resent: func(context.Context, headway.SentInfo) { fmt.Println("sent again") },
		},
	}}
	fmt.Println(statusOf(client.Get(things)))
	// Output:
	// server got ""
	// sent again
	// server got ""
	// 200 OK
}

// Is a request with a body sent again in full? Yes: http.NewRequest sets GetBody for strings, bytes and buffers.
func ExampleTransport_body() {
	client := &http.Client{Transport: &headway.Transport{Base: throttlingFirst()}}
	fmt.Println(statusOf(client.Post(things, "text/plain", strings.NewReader("a thing"))))
	// Output:
	// server got "a thing"
	// server got "a thing"
	// 200 OK
}

// What if the body is a stream? Set GetBody if the stream can start again. Otherwise the request is not resent, and its
// caller gets the 429: headway buffers no body.
func ExampleTransport_stream() {
	open := func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("a file")), nil }
	for _, getBody := range []func() (io.ReadCloser, error){nil, open} {
		client := &http.Client{Transport: &headway.Transport{Base: throttlingFirst()}}
		file, _ := open()
		req, _ := http.NewRequest(http.MethodPut, things, file)
		req.GetBody = getBody
		fmt.Println(statusOf(client.Do(req)))
	}
	// Output:
	// server got "a file"
	// 429 Too Many Requests
	// server got "a file"
	// server got "a file"
	// 200 OK
}

// A retrying layer sends a request up to three times, while again returns true.
type retrying struct {
	base  http.RoundTripper
	again func(context.Context, *http.Response, error) (bool, error)
}

func (r *retrying) RoundTrip(req *http.Request) (*http.Response, error) {
	for attempt := 1; ; attempt++ {
		fmt.Println("attempt", attempt)
		resp, err := r.base.RoundTrip(req)
		again, _ := r.again(req.Context(), resp, err)
		if !again || attempt == 3 {
			return resp, err
		}
		if err == nil {
			_ = resp.Body.Close()
		}
	}
}

// anyFailure retries everything but success, as retrying clients do by default.
func anyFailure(_ context.Context, resp *http.Response, err error) (bool, error) {
	return resp == nil || resp.StatusCode >= 400, nil
}

// Two layers retry. Do their attempts multiply? Not if the one above the Transport asks CheckRetry. The policy has the form
// of hashicorp/go-retryablehttp.
func ExampleCheckRetry() {
	transport := &headway.Transport{Base: throttling("Retry-After", "3600"), MaxWait: time.Minute}
	client := &http.Client{Transport: &retrying{transport, headway.CheckRetry(anyFailure)}}
	fmt.Println(statusOf(client.Get(things))) // the server's response
	fmt.Println(statusOf(client.Get(things))) // the Transport's refusal
	// Output:
	// attempt 1
	// 429 Too Many Requests
	// attempt 1
	// not sent
}

// Wrong: a layer below the Transport that retries. The Transport learns of the refusal only after three attempts.
func ExampleTransport_incorrectOrder() {
	layer := &retrying{throttling("Retry-After", "3600"), anyFailure}
	client := &http.Client{Transport: &headway.Transport{Base: layer, MaxWait: time.Minute}}
	fmt.Println(statusOf(client.Get(things)))
	// Output:
	// attempt 1
	// attempt 2
	// attempt 3
	// 429 Too Many Requests
}

// A layer is a RoundTripper of the program, which might set a header field. Its method Unwrap returns what it wraps.
type authorizing struct{ base http.RoundTripper }

func (a authorizing) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	req.Header.Set("Authorization", "Bearer secret")
	return a.base.RoundTrip(req)
}

func (a authorizing) Unwrap() http.RoundTripper { return a.base }

// A program has a Transport above a library that has a Transport, too. Do both wait and resend? Only the upper one does. It
// finds the lower one through the method Unwrap of the layers between them.
func ExampleTransport_Unwrap() {
	lower := &headway.Transport{Base: server()}
	upper := &headway.Transport{Base: authorizing{lower}}
	client := &http.Client{Transport: upper}
	fmt.Println(statusOf(client.Get(things)))
	fmt.Println("partitions above:", len(upper.State()), "below:", len(lower.State()))
	// Output:
	// 200 OK
	// partitions above: 1 below: 0
}

// One request is refused. Must all others find that out by themselves? No: nothing of their partition is sent before the
// time that the server asked for.
func ExampleTransport_hold() {
	client := &http.Client{Transport: &headway.Transport{
		Base:    throttling("Retry-After", "3600"),
		MaxWait: time.Minute, // or the others would wait
	}}
	results := map[string]int{}
	for i := range 1000 {
		results[statusOf(client.Get(fmt.Sprintf("https://api.example.com/things/%d", i)))]++
	}
	fmt.Println(results)
	// Output: map[429 Too Many Requests:1 not sent:999]
}

// Does headway read both forms of Retry-After, and which time counts if there is a reset, too? It reads both, and the later
// time counts.
func ExampleTransport_retryAfter() {
	for _, base := range []http.RoundTripper{
		throttling("Retry-After", "3600"),
		throttling("Retry-After", time.Now().Add(2*time.Hour).UTC().Format(http.TimeFormat)),
		throttling("Retry-After", "10800", "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "60"),
	} {
		transport := &headway.Transport{Base: base, MaxRetries: -1}
		statusOf((&http.Client{Transport: transport}).Get(things))
		fmt.Println("held for", time.Until(transport.State()[0].HeldUntil).Round(time.Minute))
	}
	// Output:
	// held for 1h0m0s
	// held for 2h0m0s
	// held for 3h0m0s
}

// What if a 429 has no Retry-After? Then the hold ends with the window of the exhausted limit. Without such a limit it lasts
// a quarter of a second, and longer with each refusal.
func ExampleTransport_bareRefusal() {
	for _, base := range []http.RoundTripper{
		throttling("X-RateLimit-Limit", "100", "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "1800"),
		throttling(),
	} {
		client := &http.Client{Transport: &headway.Transport{
			Base:       base,
			MaxRetries: -1,
			Trace: &headway.Trace{
				Throttled: func(_ context.Context, info headway.ThrottledInfo) {
					fmt.Println("held for", info.Hold.Round(10*time.Millisecond))
				},
			},
		}}
		statusOf(client.Get(things))
	}
	// Output:
	// held for 30m0s
	// held for 250ms
}

// A server sends Retry-After: 0 with every refusal. Is it asked again without a pause? No: the hold lasts at least 100 ms,
// and twice as long after each further refusal.
func ExampleTransport_leastHold() {
	client := &http.Client{Transport: &headway.Transport{
		Base:    throttling("Retry-After", "0"),
		MaxWait: time.Millisecond,
		Trace: &headway.Trace{
			Throttled: func(_ context.Context, info headway.ThrottledInfo) {
				fmt.Println("held for", info.Hold.Round(10*time.Millisecond))
			},
		},
	}}
	fmt.Println(statusOf(client.Get(things)))
	fmt.Println(statusOf(client.Get(things)))
	// Output:
	// held for 100ms
	// 429 Too Many Requests
	// not sent
}

// Do all clients come back at the same moment when a hold ends? No: each adds a random time to its hold, which is never
// shorter than the server asked.
func ExampleTransport_comeBack() {
	base := throttling("Retry-After", "60")
	starts := map[time.Duration]bool{}
	early := 0
	for range 20 {
		client := &http.Client{Transport: &headway.Transport{Base: base, MaxWait: time.Second}}
		refused := time.Now()
		statusOf(client.Get(things))
		_, err := client.Get(things)
		limit, _ := errors.AsType[*headway.LimitError](err)
		start := limit.RetryAt.Sub(refused)
		starts[start.Round(time.Millisecond)] = true
		if start < time.Minute {
			early++
		}
	}
	fmt.Println("early:", early, "spread:", len(starts) > 10)
	// Output: early: 0 spread: true
}

// An API refuses with an unusual status, and only its documentation says when to come back. How does headway know? By a
// profile.
func ExampleTransport_profiles() {
	transport := &headway.Transport{
		Base:       failing(http.StatusConflict, "quota exceeded"),
		MaxRetries: -1, // or the request would wait and be sent again
		Profiles: []validate.Profile{{
			Host:    "api.example.com",
			Proofs:  []validate.Proof{{Status: http.StatusConflict, Text: "quota exceeded"}},
			MinWait: time.Minute,
		}},
	}
	client := &http.Client{Transport: transport}
	for _, host := range []string{"api.example.com", "other.example.com"} {
		fmt.Println(host, statusOf(client.Get("https://"+host+"/things")))
	}
	for _, state := range transport.State() {
		fmt.Println(state.Partition, "is held:", time.Until(state.HeldUntil) > 50*time.Second)
	}
	// Output:
	// api.example.com 409 Conflict
	// other.example.com 409 Conflict
	// https://api.example.com is held: true
	// https://other.example.com is held: false
}
